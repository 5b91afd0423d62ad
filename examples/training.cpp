// Data-parallel training: every member finds the gradients of its own batch, last layer first, and all need
// their sums. A layer's allreduce is started when its gradient is there, and goes on while the next one is
// computed. Beside it, in turns, calls that block, and sums by hand under locks:  training [turns]
//
// Threads communicate by computing, on the same CPUs: loads and stores take as long at any time. Only waiting
// can be hidden, for members that have more to do in this layer and less in the next.

#include "in_turns.hpp"
#include "locked_sums.hpp"

#include <tutti/tutti.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

constexpr int members = 2, steps = 10; // in a run
constexpr auto nothing = [](std::size_t /*layer*/) {};

/// Trains as one member: calls ready(layer) when a gradient is there, and finish() before all are used.
template <class Ready, class Finish>
static void train(tutti::Member& me, Network& own, Ready ready, Finish finish) {
    for (int step = 0; step < steps; ++step) {
        own.learn(static_cast<unsigned>(step * members + me.rank()), ready);
        finish();
        own.descend(0.0003F);
    }
}

static void blocking(tutti::Member& me, Network& own) {
    const auto sum = [&](std::size_t layer) { me.allreduce(own.gradients[layer], tutti::sum); };
    train(me, own, sum, [] {});
}

static void overlapped(tutti::Member& me, Network& own) {
    std::array<tutti::Request, Network::layers> sums;
    const auto start = [&](std::size_t layer) {
        sums[layer] = me.start.allreduce(own.gradients[layer], tutti::sum);
        sums[layer].test(); // looks after all that are in flight
    };
    train(me, own, start, [&] { wait_all(sums); });
}

static void by_hand(tutti::Member& me, Network& own) {
    static LockedSums sums(members);
    const auto add = [&](std::size_t layer) { sums.add(layer, own.gradients[layer]); };
    train(me, own, add, [&] { sums.fetch(own.gradients); });
}

static void computation(tutti::Member& me, Network& own) {
    train(me, own, nothing, [&] { me.barrier(); });
}

static void communication(tutti::Member& me, Network& own) {
    for (std::size_t i = 0; i < steps * Network::layers; ++i) {
        me.allreduce(own.gradients[i % Network::layers], tutti::sum);
    }
}

int main(int argc, char** argv) {
    tutti::Team team(members);
    std::vector networks(5, std::vector<Network>(members));
    std::vector<std::function<void()>> runs;
    for (const auto way : {computation, communication, blocking, overlapped, by_hand}) {
        runs.emplace_back([&team, &own = networks[runs.size()], way] {
            team.run([&](tutti::Member& me) { way(me, own[static_cast<std::size_t>(me.rank())]); });
        });
    }
    const std::vector<double> us = in_turns(argc > 1 ? std::atoi(argv[1]) : 15, runs);
    std::printf("%d members, %zu gradients of 64 KiB, %d steps; us: computation alone %.0f, communication "
                "alone %.0f, blocking %.0f, overlapped %.0f, by hand %.0f\n",
                members, Network::layers, steps, us[0], us[1], us[2], us[3], us[4]);
    std::printf("hidden: %.2f of the communication alone; %.2f of what blocking takes beyond both\n",
                (us[2] - us[3]) / us[1], (us[2] - us[3]) / (us[2] - us[0] - us[1]));
    const double before = Network().learn(0, nothing), after = networks[2][0].learn(0, nothing),
                 hand = networks[4][1].learn(0, nothing);
    const bool same_bits = networks[2][1].weights == networks[3][0].weights;
    return same_bits && after < before && std::abs(hand - after) < before / 100 ? 0 : 1;
}
