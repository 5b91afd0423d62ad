// Ranks that make different calls, in every way of calling.

#include "called.hpp"

namespace {

using enum Collective;

const DynamicOp maximum(Operator::max);

struct Difference {
    const char* name;
    Called even, odd;
    std::array<const char*, 2> says;
};

// NOLINTNEXTLINE(cert-err58-cpp)
const std::vector<Difference> differences{
    {"sizes", {}, {.count = 1001}, {"of 8000 bytes", "of 8008 bytes"}},
    {"small sizes", {.count = 1}, {.count = 2}, {"of 8 bytes", "of 16 bytes"}},
    {"a small and a large size", {.count = 1}, {}, {"of 8 bytes", "of 8000 bytes"}},
    {"nothing and something", {.count = 0}, {.count = 1}, {"of 0 bytes", "of 8 bytes"}},
    {"collectives", {.count = 1}, {barrier}, {"allreduce", "barrier"}},
    {"large collectives", {}, {allgather, 100}, {"allreduce", "allgather"}},
    {"in place and not", {}, {.in_place = false}, {"in place", "allreduce"}},
    {"operators", {}, {.op = maximum}, {"sum", "max"}},
    {"types of small messages", {.count = 1}, {.count = 1, .type = Type::i64}, {"f64", "i64"}},
    {"orders", {.count = 1}, {.count = 1, .order = Order::serial}, {"allreduce", "order serial"}},
    {"roots",
     {.collective = broadcast, .count = 1, .root = 1},
     {.collective = broadcast, .count = 1, .root = 0},
     {"root 1", "root 0"}},
    {"roots of scatters",
     {.collective = scatter, .count = 1, .in_place = false, .root = 1},
     {.collective = scatter, .count = 1, .in_place = false},
     {"root 1", "root 0"}},
    {"distances",
     {.collective = shift, .count = 1, .root = 0},
     {.collective = shift, .count = 1, .root = 1},
     {"distance 0", "distance 1"}},
    {"counts",
     {.collective = reduce_scatter, .count = 100, .skew = 1},
     {.collective = reduce_scatter, .count = 100, .skew = 2},
     {"counts differ", "reduce_scatter"}},
};

// NOLINTNEXTLINE(cert-err58-cpp)
const std::vector<Difference> differences_of_algorithms{
    {"barriers",
     {barrier},
     {.collective = barrier, .algorithm = "dissemination"},
     {"direct", "dissemination"}},
    {"algorithms", {.algorithm = "direct"}, {.algorithm = "circulant"}, {"direct", "circulant"}},
};

/// All ranks call the same, then differ, and call the same again.
void check_told(Ranks& ranks, const Difference& each, bool is_async) {
    const auto size = static_cast<std::size_t>(ranks.size());
    std::vector<Thrown> told(size);
    const Thrown run = thrown_by([&] {
        ranks.run([&](WayCaller& me) {
            const auto rank = static_cast<std::size_t>(me.rank());
            thrown_by(me, {.count = 3}); // from which it may be released by the others
            told[rank] = thrown_by(me, me.rank() % 2 == 0 ? each.even : each.odd);
            if (told[rank].kind == Kind::nothing) { // it has had nothing to wait for
                told[rank] = thrown_by(me, {barrier});
            }
        });
    });
    const auto count = [&](Kind kind) { return std::ranges::count(told, kind, &Thrown::kind); };
    std::string text = run.text;
    for (const Thrown& thrown : told) {
        text += thrown.kind == Kind::mismatch ? " / " + thrown.text : "";
    }
    INFO(text);
    CHECK(count(Kind::mismatch) >= 1);
    CHECK(count(Kind::mismatch) + count(Kind::aborted) == ranks.size());
    CHECK(run.kind == (is_async ? Kind::nothing : Kind::mismatch));
    CHECK(mentions(text, "operation 2"));
    CHECK(mentions(text, each.says[0]));
    CHECK(mentions(text, each.says[1]));
}

} // namespace

TEST_CASE("ranks in different calls are told what each of them calls, in every way of calling") {
    for (const Way& way : all_ways()) {
        for (const int members : {2, 3, 5}) {
            if (!way.abilities.calls_alone) {
                continue;
            }
            for (const auto* all : {&differences, &differences_of_algorithms}) {
                for (const Difference& each : *all) {
                    if (all == &differences || way.abilities.names_algorithms) {
                        INFO(way.name, ", ", members, " members, ", std::string(each.name));
                        check_told(*way.make({.members = members}), each, way.is_async());
                    }
                }
            }
        }
    }
}
