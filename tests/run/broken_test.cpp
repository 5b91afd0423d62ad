// Faults that the interleavings must find: this proves the tests.

#include "../test.hpp"
#include "call.hpp"
#include "interleaving.hpp"
#include "plan/plan.hpp"
#include "program.hpp"

namespace tutti::test {

namespace {

using algorithm::Algorithm;
using What = Outcome::What;

constexpr int ranks = 4;
constexpr std::size_t operations = 5;
/// Are used again soonest.
constexpr unsigned fewest_sets = 2;

bool is_wait(const plan::Step& step) {
    return step.code == plan::Code::await || step.code == plan::Code::await_every;
}

/// Whether anybody hears of anybody: not so in a shift by nothing.
bool connects(const Call& call) {
    for (int rank = 0; rank < ranks; ++rank) {
        for (const plan::Step& step : call.prepared(rank).plan->steps) {
            if (step.traits().awaits != plan::Awaits::nobody) {
                return true;
            }
        }
    }
    return false;
}

/// How many interleavings it takes until one goes wrong, or 1,000; of PCT if they have a depth.
long interleavings_until_wrong(const Call& call, Interleaving& interleaving, unsigned depth = 0,
                               std::uint64_t seed = 1, std::size_t calls = operations) {
    Program program = Program::repeated(call, calls);
    Random random(seed);
    long run = 1;
    while (run < 1000 && interleaving.run(program, random, depth).what == What::fine) {
        ++run;
    }
    return run;
}

/// Programs in which one member makes another call once, and how interleavings of them end.
class Differing {
public:
    void look_into(const Call& one, const Call& other, Interleaving& interleaving, Random& random) {
        Program program(ranks);
        const std::size_t when = random.below(operations - 1);
        const std::size_t who = random.below(ranks);
        for (std::size_t operation = 0; operation < operations; ++operation) {
            std::vector<const Call*> calls(ranks, &one);
            calls[who] = operation == when ? &other : &one;
            program.add(calls);
        }
        program.finish();
        for (int run = 0; run < 10; ++run) {
            const Outcome outcome = interleaving.run(program, random);
            ++ends_[static_cast<std::size_t>(outcome.what)];
            if (outcome.what != What::differs && outcome.what != What::stuck) {
                first_ = first_.empty() ? Interleaving::text(program, outcome) + program.name() : first_;
            }
        }
    }

    long ended(What what) const { return ends_[static_cast<std::size_t>(what)]; }
    /// Those that went on as if nothing had happened, or worse.
    long unnoticed() const {
        return std::accumulate(std::begin(ends_), std::end(ends_), 0L) - ended(What::differs) -
               ended(What::stuck);
    }
    const std::string& first_unnoticed() const { return first_; }

private:
    long ends_[7] = {};
    std::string first_;
};

} // namespace

TEST_CASE("no plan waits in vain: one that lacks a wait is found") {
    long broken = 0;
    for (const Algorithm& row : algorithm::registry()) {
        Interleaving interleaving(ranks, fewest_sets);
        for (const auto& call : calls_of(row, ranks)) {
            for (int rank = 0; rank < ranks && call->fills_all_blocks(); ++rank) {
                const auto& steps = call->prepared(rank).plan->steps;
                for (std::size_t step = 0; step < steps.size(); ++step) {
                    if (is_wait(steps[step])) {
                        ++broken;
                        INFO(call->name(), " without step ", step, " of member ", rank);
                        CHECK(interleavings_until_wrong(call->without(rank, step), interleaving) < 1000);
                    }
                }
            }
        }
    }
    CHECK(broken > 3000);
}

TEST_CASE("priorities find slots that are used again too early in fewer orders") {
    constexpr int members = 8;
    constexpr std::uint64_t seeds = 20;
    Interleaving interleaving(members, mailbox::most_sets);
    interleaving.reuse_too_early();
    const auto calls = calls_of(*algorithm::find(Collective::broadcast, "flat"), members);
    const auto empty = std::ranges::find_if(
        calls, [](const auto& call) { return call->is_carried() && call->prepared(0).partition.total == 0; });
    long orders[4] = {};
    for (const unsigned depth : {0U, 2U, 3U}) {
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            orders[depth] +=
                interleavings_until_wrong(**empty, interleaving, depth, seed, 2 * mailbox::most_sets);
        }
    }
    MESSAGE("orders: ", orders[0], " uniform, ", orders[2], " and ", orders[3], " of PCT");
    CHECK(orders[0] > 5 * std::max(orders[2], orders[3]));
}

TEST_CASE("members that make different calls are told or wait, and nobody gets a wrong result") {
    Differing found;
    Random random(1);
    for (const Algorithm& row : algorithm::registry()) {
        const Calls calls = calls_of(row, ranks);
        Interleaving interleaving(ranks, fewest_sets);
        for (int pair = 0; pair < 100; ++pair) {
            const Call& one = *calls[random.below(calls.size())];
            const Call& other = *calls[random.below(calls.size())];
            if (&one != &other && (connects(one) || connects(other))) {
                found.look_into(one, other, interleaving, random);
            }
        }
    }
    CHECK_MESSAGE(found.unnoticed() == 0, found.first_unnoticed());
    CHECK(found.ended(What::differs) > 10'000);
}

TEST_CASE("where the fingerprints of different calls happen to be the same, their digests are not") {
    Differing found;
    Interleaving interleaving(ranks, fewest_sets);
    Random random(1);
    for (const auto& [name, is_compared] :
         {std::pair{"direct", +[](const Call& call) { return !call.is_carried(); }},
          std::pair{"flat", +[](const Call& call) { return call.is_staged(); }}}) {
        const Calls calls = calls_of(*algorithm::find(Collective::allreduce, name), ranks);
        for (const auto& one : calls) {
            for (const auto& other : calls) {
                if (one != other && is_compared(*one) && is_compared(*other)) {
                    found.look_into(*one, other->colliding_with(*one), interleaving, random);
                }
            }
        }
    }
    CHECK_MESSAGE(found.unnoticed() == 0, found.first_unnoticed());
    CHECK(found.ended(What::differs) > 100);
}

} // namespace tutti::test
