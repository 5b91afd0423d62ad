// The exchange among neighbours, whose schedule comes from a graph.

#include "algorithm/algorithms.hpp"
#include "tests/reference/graphs.hpp"
#include "tests/test.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using algorithm::NamedNeighbors;
using schedule::Graph;
using schedule::Protocol;
using schedule::Synchronised;
using verify::Requirement;

namespace {

Synchronised exchange(const Graph& graph) {
    return schedule::synchronise(algorithm::neighbor_exchange(graph), Protocol::zero_copy);
}

/// Proves the exchange, which is wrong without any of its waits.
void check_exchange(const Graph& graph) {
    const Synchronised made = exchange(graph);
    const verify::Report report = verify::verify(made, Requirement::complete);
    INFO(report.text());
    REQUIRE(report.ok());
    for (std::size_t member = 0; member < made.waits.size(); ++member) {
        for (std::size_t wait = 0; wait < made.waits[member].size(); ++wait) {
            Synchronised broken = made;
            broken.waits[member].erase(broken.waits[member].begin() + static_cast<std::ptrdiff_t>(wait));
            CHECK(verify::verify(broken, Requirement::complete).has(verify::ViolationKind::race));
        }
    }
}

std::string rejection(const std::vector<NamedNeighbors>& named) {
    return test::message_of([&] { algorithm::graph_of(named); });
}

} // namespace

TEST_CASE("exchanges among the neighbours in random graphs are proved") {
    std::mt19937 engine(39);
    for (int members = 1; members <= 8; ++members) {
        for (int repetition = 0; repetition < 8; ++repetition) {
            std::vector<NamedNeighbors> named;
            for (const test::Named& each : test::random_graph(members, engine)) {
                named.push_back({each.sources, each.destinations});
            }
            check_exchange(algorithm::graph_of(named));
        }
    }
}

TEST_CASE("exchanges in grids are proved") {
    using Dims = std::vector<int>;
    for (const Dims& dims : {Dims{1}, {2}, {5}, {1, 3}, {2, 2}, {3, 4}, {2, 3, 2}}) {
        for (unsigned bits = 0; bits < 1U << dims.size(); ++bits) {
            std::vector<bool> wraps;
            for (std::size_t dim = 0; dim < dims.size(); ++dim) {
                wraps.push_back((bits >> dim & 1U) != 0);
            }
            check_exchange(algorithm::grid(dims, wraps));
        }
    }
}

TEST_CASE("a circular shift is the exchange in a ring") {
    for (int members = 1; members <= 6; ++members) {
        for (int distance = 0; distance < members; ++distance) {
            Graph ring;
            for (int rank = 0; rank < members; ++rank) {
                ring.push_back({{(rank + members - distance) % members, 0}});
            }
            const Synchronised made = exchange(ring);
            const Synchronised shift =
                schedule::synchronise(algorithm::direct_shift(members, distance), Protocol::zero_copy);
            for (int rank = 0; rank < members; ++rank) {
                CHECK(made.schedule.program(rank) == shift.schedule.program(rank));
                CHECK(made.waits_of(rank) == shift.waits_of(rank));
            }
        }
    }
}

TEST_CASE("a grid has the neighbours of MPI, before and after along each dimension") {
    using List = std::vector<int>;
    CHECK(algorithm::grid_neighbors(0, {2, 3}, {false, false}) == List{-1, 3, -1, 1});
    CHECK(algorithm::grid_neighbors(4, {2, 3}, {false, false}) == List{1, -1, 3, 5});
    CHECK(algorithm::grid_neighbors(0, {2, 3}, {true, true}) == List{3, 3, 2, 1});
    CHECK(algorithm::grid_neighbors(0, {1}, {true}) == List{0, 0});
}

TEST_CASE("the verifier knows what each block of an exchange among neighbours must be") {
    const Graph graph = {{{1, 1}, {1, 0}}, {{0, 0}, {}}};
    Synchronised made = exchange(graph);
    CHECK(verify::verify(made, Requirement::complete).ok());
    Graph other = graph;
    std::swap(other[0][0], other[0][1]);
    const auto with_programs_of_the_first = [&] {
        return schedule::Schedule(other, 2, made.schedule.programs());
    };
    made.schedule = with_programs_of_the_first();
    CHECK(verify::verify(made, Requirement::complete).has(verify::ViolationKind::content));
}

TEST_CASE("edges that only one end names are rejected, and several in the order of each end") {
    CHECK(algorithm::graph_of(std::vector<NamedNeighbors>{{{1, 1}, {}}, {{}, {0, -1, 0}}}) ==
          Graph{{{1, 0}, {1, 2}}, {}});
    CHECK(rejection({{{1}, {}}, {{}, {}}}) ==
          "member 0 names member 1 1 time in `sources`, but that names it 0 times in `destinations`: both "
          "ends of an edge must name it equally often");
    CHECK(rejection({{{}, {1, 1}}, {{0}, {}}})
              .starts_with("member 1 names member 0 1 time in `sources`, but that names it 2 times"));
    CHECK(rejection({{{2}, {}}, {{}, {}}}) == "member 0 has 2 in `sources`: must be in 0..1");
    CHECK(rejection({{{}, {-2}}, {{}, {}}}) == "member 0 has -2 in `destinations`: must be in 0..1");
}
