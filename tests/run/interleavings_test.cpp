// Random interleavings of the runner.
//
//   test_run [doctest options] [--interleavings N] [--seed S] [--row "COLLECTIVE NAME"] [--ranks P]
//
// N of every row, by default 10'000. A failure prints the options that repeat it.

#define DOCTEST_CONFIG_IMPLEMENT
#include "../test.hpp"
#include "interleaving.hpp"
#include "mailbox/mailbox.hpp"
#include "plan/plan.hpp"
#include "run/word_exchange.hpp"
#include "schedule/synchronise.hpp"

namespace tutti::test {

namespace {

/// The interleavings to run, from the command line.
struct Options {
    long interleavings = reduced ? 1'000 : 10'000; ///< of each row
    std::uint64_t seed = 1;                        ///< of the first program
    std::string row;                               ///< as in "allreduce direct"; empty: every row
    int ranks = 0;                                 ///< 0: all from 1 to 5
};

Options given;

void read(std::string_view option, const std::string& value) {
    if (option == "--interleavings") {
        given.interleavings = std::stol(value);
    } else if (option == "--seed") {
        given.seed = std::stoull(value);
    } else if (option == "--row") {
        given.row = value;
    } else if (option == "--ranks") {
        given.ranks = std::stoi(value);
    }
}

using algorithm::Algorithm;

constexpr int most_ranks = 5;
constexpr std::size_t most_in_flight = 8;
/// How often a program is run before there is another.
constexpr long runs_per_program = 25;

/// The calls between the calls of a row: some that make everybody wait for everybody and some that do not, by
/// way of the mailbox and not.
Calls others(int ranks) {
    Calls calls;
    for (const auto& [collective, name] : {std::pair{Collective::barrier, "dissemination"},
                                           {Collective::broadcast, "flat"},
                                           {Collective::reduce, "flat"},
                                           {Collective::allreduce, "flat"},
                                           {Collective::allreduce, "direct"},
                                           {Collective::scan, "direct"}}) {
        for (auto& call : calls_of(*algorithm::find(collective, name), ranks)) {
            calls.push_back(std::move(call));
        }
    }
    return calls;
}

Program draw(const Calls& calls, const Calls& between, int ranks, std::size_t operations, Random& random) {
    Program program(ranks);
    for (std::size_t operation = 0; operation < operations; ++operation) {
        const Calls& from = operation != operations / 2 && random.one_in(4) ? between : calls;
        program.add(*from[random.below(from.size())]);
    }
    program.finish();
    return program;
}

/// So many interleavings of the row among `ranks` members; says with which options one that fails is seen
/// again.
void interleave(const Algorithm& row, int ranks, long interleavings) {
    const Calls calls = calls_of(row, ranks);
    const Calls between = others(ranks);
    Interleaving few_sets(ranks, 2);
    Interleaving most_sets(ranks, mailbox::most_sets);
    Interleaving in_flight(ranks, 2, most_in_flight);
    for (std::uint64_t seed = given.seed; interleavings > 0; ++seed) {
        Random random(seed);
        const bool are_in_flight = seed % 8 == 1;
        const bool has_few = seed % 2 == 0;
        Interleaving& interleaving = are_in_flight ? in_flight : has_few ? few_sets : most_sets;
        // The first set is used again, and once more where there are few; in some channels in flight.
        const std::size_t operations = are_in_flight ? 2 * most_in_flight + 3
                                       : has_few     ? 5
                                                     : mailbox::most_sets + 2;
        Program program = draw(calls, between, ranks, operations, random);
        if (!are_in_flight) { // as members do that try algorithms
            const std::size_t at = 1 + random.below(operations - 1);
            interleaving.meet(at, random.below(at));
        }
        for (long run = 0; run < runs_per_program && interleavings > 0; ++run, --interleavings) {
            const Outcome outcome = interleaving.run(program, random);
            if (outcome.what != Outcome::What::fine) {
                FAIL_CHECK(Interleaving::text(program, outcome), program.name(), "\nseen again with --row \"",
                           name_of(row), "\" --ranks ", ranks, " --seed ", seed);
                return;
            }
        }
    }
}

} // namespace

TEST_CASE("every row keeps its promises in random interleavings of its calls") {
    long rows = 0;
    for (const Algorithm& row : algorithm::registry()) {
        if (!given.row.empty() && given.row != name_of(row)) {
            continue;
        }
        ++rows;
        std::vector<int> sizes;
        for (int ranks = 1; ranks <= most_ranks; ++ranks) {
            if (takes(row, ranks) && (given.ranks == 0 || given.ranks == ranks)) {
                sizes.push_back(ranks);
            }
        }
        for (const int ranks : sizes) {
            const auto shares = static_cast<long>(sizes.size());
            interleave(row, ranks, (given.interleavings + shares - 1) / shares);
        }
    }
    CHECK(rows >= 1);
}

} // namespace tutti::test

namespace tutti::run {

namespace {

TEST_CASE("an exchange that has gone on is that of the next operation") {
    constexpr int members = 3;
    const auto synchronised = schedule::synchronise(
        algorithm::find(Collective::allreduce, "flat")->make(members, 0), schedule::Protocol::eager);
    for (unsigned sets = 2; sets <= mailbox::most_sets; ++sets) {
        for (int rank = 0; rank < members; ++rank) {
            Prepared prepared;
            prepared.owned_plan = std::make_shared<const OwnPlan>(plan::compile(synchronised, rank));
            prepared.plan = &prepared.owned_plan->plan;
            prepared.digests = {.digest = 0x123456789abcdef, .fingerprint = 0xabcde};
            prepared.synchronises = true;
            REQUIRE(prepared.plan->exchanges_once);

            std::vector<mailbox::Slot> slots(static_cast<std::size_t>(members) * sets * 2);
            std::vector<mailbox::Board> boards(members);
            const mailbox::StdWord failed;
            const mailbox::Mailbox mailbox(slots.data(), 2, sets, nullptr, boards.data(), failed);
            Cursor cursor;
            cursor.history = 0xfedcba9876543210;
            WordExchange<mailbox::Mailbox> next(mailbox, cursor, prepared);
            for (unsigned operation = 0; operation < 2 * sets; ++operation) {
                next.prepare_next(cursor);
                CHECK_FALSE(next.is_at(cursor));
                cursor.go_to_next(prepared, sets);
                CHECK(next.is_at(cursor));
                CHECK(next == WordExchange<mailbox::Mailbox>(mailbox, cursor, prepared));
                CHECK_FALSE(cursor.must_wait_for_slots);
            }
        }
    }
}

} // namespace

} // namespace tutti::run

int main(int argc, char** argv) {
    try {
        for (int i = 1; i + 1 < argc; ++i) {
            tutti::test::read(argv[i], argv[i + 1]);
        }
    } catch (const std::logic_error&) {
        std::fprintf(stderr, "%s: an option without the number that it asks for\n", argv[0]);
        return 2;
    }
    return doctest::Context(argc, argv).run();
}
