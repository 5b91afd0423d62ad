// The example of docs/guide.md: a graph family of one function, and what follows from
// it.

#include "../test.hpp"
#include "algorithm/graph_rows.hpp"
#include "cost/count.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using algorithm::Algorithm;
using schedule::Action;
using schedule::Protocol;
using schedule::Symmetry;
using schedule::Transfer;

namespace {

struct Doubling {
    static constexpr algorithm::Ranks ranks = algorithm::Ranks::any;
    static long rounds(int p) { return graph::rounds_log2(p); }
    static schedule::Pattern allgather(int p) {
        std::vector<Transfer> received; // round, from, blocks, what to do with them
        int round = 0;
        for (int have = 1; have < p; have *= 2) { // blocks 0 .. have - 1 are here
            received.push_back({round++, have, {have, std::min(have, p - have)}, Action::copy});
        }
        return {p, p, round, Symmetry::rotation, {received}};
    }
};

long any_scratch(int p, int /*root*/) {
    return 2L * p;
}

algorithm::CostTerms scatter_counts(int p, int /*root*/) {
    return {Doubling::rounds(p), p / 2, 0};
}

using namespace algorithm::rows;

constexpr Algorithm family[] = {
    allgather_row<Doubling>("doubling", pulled, "test"),
    reduce_scatter_row<Doubling>("doubling", pulled, any_scratch, "test"),
    allreduce_row<Doubling>("doubling", pulled, "test"),
    gather_row<Doubling>("doubling", any_scratch, "test"),
    scatter_row<Doubling>("doubling", scatter_counts, any_scratch, "test"),
};

} // namespace

TEST_CASE("a graph family of one function has five collectives, proved for any number of ranks and root") {
    for (const Algorithm& row : family) {
        for (int ranks = 1; ranks <= 40; ++ranks) {
            for (int root = 0; root < (has_root(row) ? ranks : 1); root += 3) {
                CAPTURE(to_string(row.collective));
                CAPTURE(ranks);
                CAPTURE(root);
                const schedule::Schedule made = row.make(ranks, root);
                const algorithm::CostTerms counted = cost::tally(made).most();
                CHECK(counted.rounds == row.cost(ranks, root).rounds);
                CHECK(counted.reductions == row.cost(ranks, root).reductions);
                // The largest subtree of a scatter depends on where p lies between powers of two.
                if (row.collective != Collective::scatter) {
                    CHECK(counted.blocks == row.cost(ranks, root).blocks);
                }
                for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place}) {
                    const verify::Report report = verify::verify(synchronise(made, protocol),
                                                                 verify::requirement_of(row, made.ranks()));
                    CHECK_MESSAGE(report.ok(), report.text());
                }
            }
        }
    }
}
