// Published times of broadcasts among both sockets' readers, beside predictions.
#include "../test.hpp"
#include "model/machine_model.hpp"
#include "simulate/simulation.hpp"
#include "survey/find_profile.hpp"

using namespace tutti;
using plan::Code;
using plan::Step;
using schedule::Space;

namespace {

Step look_at(Code code, int peer, int point) {
    Step step;
    step.code = code;
    step.set_peer(peer);
    step.set_point(point);
    return step;
}

Step copy_from(Space space, bool remote) {
    Step step;
    step.code = Code::copy;
    step.left = plan::Vector(space, remote, false);
    step.to = plan::Vector(Space::output, false, false);
    step.count = 1;
    return step;
}

/// Member 0 writes, all others read its vector and acknowledge. With `apart` it has a flag and a copy for
/// those from rank `far` on.
std::vector<plan::Plan> broadcast(int ranks, int far, bool apart) {
    constexpr int near_flag = 0;
    constexpr int far_flag = 1;
    constexpr int acknowledged = 2;
    std::vector<plan::Plan> plans(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        plan::Plan& plan = plans[static_cast<std::size_t>(rank)];
        plan.ranks = ranks;
        plan.rank = rank;
        plan.points = 3;
        plan.protocol = schedule::Protocol::in_place;
        const bool is_apart = apart && rank >= far;
        plan.steps = {look_at(Code::await, 0, is_apart ? far_flag : near_flag),
                      copy_from(is_apart ? Space::output : Space::input, true),
                      look_at(Code::publish, 0, acknowledged)};
    }
    plans[0].steps = {look_at(Code::enter, 0, near_flag)};
    if (apart) {
        plans[0].steps.push_back(copy_from(Space::input, false));
        plans[0].steps.push_back(look_at(Code::publish, 0, far_flag));
    }
    plans[0].steps.push_back(look_at(Code::await_every, 0, acknowledged));
    return plans;
}

/// us, of members first .. last.
double mean_us(const std::string& machine, const std::vector<plan::Plan>& plans, std::size_t bytes, int first,
               int last) {
    const distance::MachineModel profile = laboratory::find_line_profile(machine);
    const auto positions =
        laboratory::positions_on(laboratory::described(profile), static_cast<int>(plans.size()));
    simulate::Simulation simulation(plans, profile, positions);
    const auto leaves = simulation.leaves({.partition = {.total = bytes, .block = bytes, .offsets = nullptr},
                                           .element_bytes = 1,
                                           .staged = false,
                                           .streams = false});
    double sum = 0;
    for (int member = first; member <= last; ++member) {
        sum += leaves[static_cast<std::size_t>(member)];
    }
    return sum / (last - first + 1) * 1e-3;
}

struct Published {
    const char* machine;
    int cores; ///< of a socket
    /// us of 4 bytes: readers near the writer without a far one, and with one.
    double near_alone;
    double near_with_far;
    /// Mean of all ranks, with one flag and buffer, and with one for each socket.
    double together;
    double apart;
};

constexpr Published figures[] = {{"xeon-cascade-lake-2x24", 24, 0.19, 0.80, 0.72, 0.48},
                                 {"xeon-skylake-2x12", 12, 0.16, 0.56, 0.63, 0.38}};

} // namespace

TEST_CASE(
    "one far reader slows near ones, and a flag and a buffer for each socket help small messages only") {
    for (const Published& each : figures) {
        CAPTURE(std::string(each.machine));
        const int all = 2 * each.cores;
        const auto mean = [&](bool apart, std::size_t bytes) {
            return mean_us(each.machine, broadcast(all, each.cores, apart), bytes, 0, all - 1);
        };
        const auto near = [&](int ranks) {
            return mean_us(each.machine, broadcast(ranks, each.cores, false), 4, 1, each.cores - 1);
        };
        const double slower = near(each.cores + 1) - near(each.cores);
        CHECK(slower == doctest::Approx(each.near_with_far - each.near_alone).epsilon(0.25));
        CHECK(mean(false, 4) < 1.45 * each.together);
        CHECK(mean(true, 4) < 1.75 * each.apart);
        CHECK(mean(true, 4) < 0.85 * mean(false, 4));
        CHECK(mean(true, 65536) > mean(false, 65536)); // published: no gain above 1 KiB
    }
}

TEST_CASE("more readers get less each out of a writer's caches") {
    constexpr std::size_t bytes = std::size_t{1} << 20U;
    const auto each_gets = [&](int ranks) {
        const double us = mean_us("xeon-cascade-lake-2x24", broadcast(ranks, 24, false), bytes, 1, ranks - 1);
        return static_cast<double>(bytes) / us * 1e-3; // GB/s
    };
    CHECK(each_gets(2) == doctest::Approx(14.5).epsilon(0.05)); // published: 14 to 15
    CHECK(each_gets(24) == doctest::Approx(9).epsilon(0.45));
    CHECK(each_gets(48) == doctest::Approx(5).epsilon(0.15)); // published: 5 to 6
}
