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

Program repeated(const Call& call) {
    Program program(call.ranks());
    for (std::size_t operation = 0; operation < operations; ++operation) {
        program.add(call);
    }
    program.finish();
    return program;
}

/// How many of the broken programs are found out, and the most interleavings that took.
struct Found {
    long broken = 0;
    long missed = 0;
    long most_interleavings = 0;

    void look_into(const Call& call, Interleaving& interleaving, Breaks breaks = nullptr) {
        constexpr long enough = 1000;
        Program program = repeated(call);
        Random random(1);
        long run = 1;
        while (run <= enough && interleaving.run(program, random, breaks).what == What::fine) {
            ++run;
        }
        ++broken;
        missed += run > enough ? 1 : 0;
        most_interleavings = std::max(most_interleavings, run);
        CHECK_MESSAGE(run <= enough, "not found: ", call.name());
    }
    void print(const char* what) const {
        std::printf("%-46s | %5ld broken | %3ld missed | at most %3ld interleavings\n", what, broken, missed,
                    most_interleavings);
    }
};

template <class Visit>
void for_each_call(Visit visit) {
    for (const Algorithm& row : algorithm::registry()) {
        Interleaving interleaving(ranks, fewest_sets);
        for (const auto& call : calls_of(row, ranks)) {
            visit(*call, interleaving);
        }
    }
}

bool is_wait(const plan::Step& step) {
    return step.code == plan::Code::await || step.code == plan::Code::await_every;
}

/// Whether anybody hears of anybody: not so in a shift by nothing.
bool connects(const Call& call) {
    const auto hears = [](const plan::Step& step) {
        return is_wait(step) || step.code == plan::Code::open || step.code == plan::Code::open_every ||
               step.code == plan::Code::receive || step.code == plan::Code::reduce_every_received ||
               step.code == plan::Code::reduce_listed_received;
    };
    for (int rank = 0; rank < ranks; ++rank) {
        if (std::ranges::any_of(call.prepared(rank).plan->steps, hears)) {
            return true;
        }
    }
    return false;
}

/// The members whose messages reach a member.
std::set<int> heard_by(const Call& call, int rank) {
    std::set<int> heard;
    const auto add_first = [&](int members) {
        for (int other = 0; other < members; ++other) {
            heard.insert(other);
        }
    };
    for (const plan::Step& step : call.prepared(rank).plan->steps) {
        if (step.code == plan::Code::receive) {
            heard.insert(static_cast<int>(step.peer()));
        } else if (step.code == plan::Code::reduce_every_received ||
                   step.code == plan::Code::reduce_first_received) {
            add_first(static_cast<int>(step.operands()));
        } else if (step.code == plan::Code::reduce_listed_received) {
            for (const plan::Operand& operand : operands_of(*call.prepared(rank).plan, step)) {
                heard.insert(operand.peer);
            }
        }
    }
    heard.erase(rank);
    return heard;
}

/// Whether one member hears of all others, and these of it alone. Then nobody sends again before whoever
/// reads that has answered, in this operation or with its first message of the next one.
bool goes_through_one(const Call& call) {
    const auto is_between_all = [&](int hub) {
        for (int rank = 0; rank < ranks; ++rank) {
            const std::set<int> heard = heard_by(call, rank);
            if (rank == hub ? heard.size() != static_cast<std::size_t>(ranks) - 1 : heard != std::set{hub}) {
                return false;
            }
        }
        return true;
    };
    int hub = 0;
    while (hub < ranks && !is_between_all(hub)) {
        ++hub;
    }
    return hub < ranks;
}

} // namespace

TEST_CASE("a plan that lacks one of its waits is found") {
    Found found;
    for_each_call([&](const Call& call, Interleaving& interleaving) {
        for (int rank = 0; rank < ranks && call.fills_all_blocks(); ++rank) {
            const auto& steps = call.prepared(rank).plan->steps;
            for (std::size_t step = 0; step < steps.size(); ++step) {
                if (is_wait(steps[step])) {
                    found.look_into(call.without(rank, step), interleaving);
                }
            }
        }
    });
    found.print("plans that lack a wait");
    CHECK(found.broken > 4000);
}

// Bare tags may be overwritten at any time, and addresses are read before their owner returns.
TEST_CASE("one set of slots is too few for messages") {
    Found found;
    for_each_call([&](const Call& call, Interleaving& interleaving) {
        if (call.is_carried() && call.elements() != 0 && connects(call) && !goes_through_one(call)) {
            found.look_into(call, interleaving,
                            [](run::Cursor& cursor, const run::Cursor& before) { cursor.set = before.set; });
        }
    });
    found.print("one set of slots");
    CHECK(found.broken > 250);
}

TEST_CASE("messages are overwritten where nobody settles, or settles too early") {
    Found never;
    Found too_early;
    for_each_call([&](const Call& call, Interleaving& interleaving) {
        // Members that send each other something hear of each other as well.
        const bool is_mutual = call.distance() * 2 == ranks;
        if (!call.is_carried() || call.synchronises() || call.elements() == 0 || !connects(call) ||
            is_mutual) {
            return;
        }
        never.look_into(call, interleaving,
                        [](run::Cursor& cursor, const run::Cursor&) { cursor.must_wait_for_slots = false; });
        too_early.look_into(call, interleaving, [](run::Cursor& cursor, const run::Cursor&) {
            --cursor.message_epochs[cursor.set];
        });
    });
    never.print("nobody settles");
    too_early.print("settled too early");
    CHECK(never.broken > 100);
}

namespace {

/// Programs in which one member makes another call once, and how interleavings of them end.
class Differing {
public:
    void look_into(const Call& one, const Call& other, Interleaving& interleaving, Random& random,
                   Breaks breaks = nullptr) {
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
            const Outcome outcome = interleaving.run(program, random, breaks);
            ++ends_[static_cast<std::size_t>(outcome.what)];
            if (outcome.what != What::differs && outcome.what != What::stuck) {
                first_ = first_.empty() ? Interleaving::text(program, outcome) + program.name() : first_;
            }
        }
    }

    long ended(What what) const { return ends_[static_cast<std::size_t>(what)]; }
    /// Those that went on as if nothing had happened, or worse.
    long unnoticed() const {
        return ended(What::fine) + ended(What::early) + ended(What::wrong) + ended(What::late);
    }
    const std::string& first_unnoticed() const { return first_; }
    void print(const char* what) const {
        std::printf("%-46s | %5ld told | %5ld wait for ever | %5ld go on, %ld of them with wrong results\n",
                    what, ended(What::differs), ended(What::stuck), unnoticed(),
                    unnoticed() - ended(What::fine));
    }

private:
    long ends_[6] = {};
    std::string first_;
};

/// Calls visit(one, other) with pairs of calls that one row can make.
template <class Visit>
void for_some_pairs(Visit visit) {
    Random random(1);
    for (const Algorithm& row : algorithm::registry()) {
        const Calls calls = calls_of(row, ranks);
        Interleaving interleaving(ranks, fewest_sets);
        for (int pair = 0; pair < 100; ++pair) {
            const Call& one = *calls[random.below(calls.size())];
            const Call& other = *calls[random.below(calls.size())];
            if (&one != &other && (connects(one) || connects(other))) {
                visit(one, other, interleaving, random);
            }
        }
    }
}

} // namespace

TEST_CASE("members that make different calls are told or wait, and nobody gets a wrong result") {
    Differing found;
    Differing without_history;
    Differing without_marks;
    for_some_pairs([&](const Call& one, const Call& other, Interleaving& interleaving, Random& random) {
        found.look_into(one, other, interleaving, random);
        without_history.look_into(one, other, interleaving, random,
                                  [](run::Cursor& cursor, const run::Cursor&) { cursor.history = 0; });
        // Others would write to where nobody has a vector.
        if (one.is_carried() && other.is_carried() && !one.is_staged() && !other.is_staged()) {
            without_marks.look_into(one, other.passing_for(one), interleaving, random);
        }
    });
    found.print("different calls");
    without_history.print("different calls, histories not compared");
    without_marks.print("different calls, prints not compared");
    CHECK_MESSAGE(found.unnoticed() == 0, found.first_unnoticed());
    CHECK(found.ended(What::differs) > 10'000);
    CHECK(without_history.unnoticed() > 0);
    CHECK(without_marks.ended(What::wrong) > 0);
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
    found.print("different calls with the same print");
    CHECK_MESSAGE(found.unnoticed() == 0, found.first_unnoticed());
    CHECK(found.ended(What::differs) > 100);
}

} // namespace tutti::test
