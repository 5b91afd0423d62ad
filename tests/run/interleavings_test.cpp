#include "../test.hpp"
#include "algorithm/registry.hpp"
#include "call.hpp"
#include "interleaving.hpp"
#include "support.hpp"
#include "program.hpp"

namespace tutti::test {

namespace {

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
    for (std::uint64_t seed = options().seed; interleavings > 0; ++seed) {
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
        if (!options().row.empty() && options().row != name_of(row)) {
            continue;
        }
        ++rows;
        std::vector<int> sizes;
        for (int ranks = 1; ranks <= most_ranks; ++ranks) {
            if (takes(row, ranks) && (options().ranks == 0 || options().ranks == ranks)) {
                sizes.push_back(ranks);
            }
        }
        for (const int ranks : sizes) {
            const auto shares = static_cast<long>(sizes.size());
            interleave(row, ranks, (options().interleavings + shares - 1) / shares);
        }
    }
    CHECK(rows >= 1);
}

} // namespace tutti::test
