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
    {"a small and a large size", {.count = 1}, {.count = 100'000}, {"of 8 bytes", "of 800000 bytes"}},
    {"large sizes", {.count = 50'000}, {.count = 100'000}, {"of 400000 bytes", "of 800000 bytes"}},
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
void check_told(const Way& way, int members, const Difference& each) {
    const auto ranks = way.make({.members = members});
    std::vector<Thrown> told(static_cast<std::size_t>(members));
    std::vector<Thrown> again(told.size());
    const Thrown run = thrown_by([&] {
        ranks->run([&](WayCaller& me) {
            const auto rank = static_cast<std::size_t>(me.rank());
            const bool is_odd = way.abilities.in_one_process ? me.rank() % 2 != 0 : 2 * me.rank() >= members;
            thrown_by(me, {.count = 3}); // from which it may be released by the others
            told[rank] = thrown_by(me, is_odd ? each.odd : each.even);
            if (told[rank].kind == Kind::nothing) { // it has had nothing to wait for
                told[rank] = thrown_by(me, {barrier});
            }
            if (!way.is_async()) {
                again[rank] = thrown_by(me, {barrier});
            }
        });
    });
    share(*ranks, told);
    share(*ranks, again);
    const auto count = [&](Kind kind) { return std::ranges::count(told, kind, &Thrown::kind); };
    std::string text = run.text;
    for (const Thrown& thrown : told) {
        text += thrown.kind == Kind::mismatch ? " / " + thrown.text : "";
        CHECK(
            (way.abilities.in_one_process || mentions(thrown.text, "the processes are in different calls")));
    }
    INFO(text);
    CHECK(count(Kind::mismatch) >= 1);
    CHECK(count(Kind::mismatch) + count(Kind::aborted) == members);
    CHECK((way.is_async() || std::ranges::count(again, Kind::aborted, &Thrown::kind) == members));
    CHECK(run.kind == (way.is_async() || !way.abilities.run_reports_all ? Kind::nothing : Kind::mismatch));
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
                    const bool has_none =
                        (each.even.in_place != each.odd.in_place && !way.abilities.compares_places) ||
                        (each.even.order != each.odd.order && !way.abilities.has_serial_order);
                    if (!has_none && (all == &differences || way.abilities.names_algorithms)) {
                        INFO(way.name, ", ", members, " members, ", std::string(each.name));
                        check_told(way, members, each);
                    }
                }
            }
        }
    }
}
