// Ranks that make different calls, in every way of calling.

#include "../affine.hpp"
#include "../api/support.hpp"
#include "exam.hpp"

namespace {

using enum Collective;

/// What a rank calls, with as much room as any call needs.
struct Called {
    Collective collective = allreduce;
    std::size_t count = 1000;
    Type type = Type::f64;
    Operator op = Operator::sum;
    bool in_place = true;
    int root = 0;
    std::string_view algorithm = {};
    Order order = Order::canonical;
    /// How much longer the last block is than the first, of irregular blocks of about 100 elements.
    int skew = -1;
};

Thrown made(WayCaller& me, const Called& called) {
    const detail::CollectiveTraits& traits = detail::traits_of(called.collective);
    Shape shape{.collective = called.collective,
                .count = called.count,
                .in_place = traits.in_place != detail::OneVector::never && called.in_place,
                .root = called.root};
    const auto last = static_cast<std::size_t>(me.size() - 1);
    if (called.skew >= 0) {
        const auto skew = static_cast<std::size_t>(called.skew);
        shape.lengths = [=](std::size_t block, std::size_t) {
            return block == 0 ? 100 - skew : block == last ? 100 + skew : 100;
        };
    }
    const ElementType elements{called.type, detail::bytes_of(called.type), DynamicOp(called.op)};
    const Reference<std::byte> reference(
        me.size(), [](std::size_t, std::size_t) { return std::byte{}; },
        [](std::byte a, std::byte) { return a; });
    Vectors<std::byte> vectors = reference.vectors(static_cast<std::size_t>(me.rank()), shape);
    vectors.in.resize(vectors.in.size() * elements.bytes);
    vectors.out.resize((vectors.out.size() + 1) * elements.bytes);
    const Options options{.algorithm = called.algorithm, .order = called.order};
    return thrown_by(
        [&] { me.begin(call_of(shape, vectors, elements, vectors.in, vectors.out, options))->wait(); });
}

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
    {"a reduction and a scan", {}, {scan}, {"allreduce", "scan"}},
    {"in place and not", {}, {.in_place = false}, {"in place", "allreduce"}},
    {"in place and not, of one element",
     {.count = 1},
     {.count = 1, .in_place = false},
     {"in place", "of 8 bytes"}},
    {"operators", {}, {.op = Operator::max}, {"sum", "max"}},
    {"operators on small messages", {.count = 1}, {.count = 1, .op = Operator::max}, {"sum", "max"}},
    {"logical operators",
     {.count = 1, .type = Type::u8, .op = Operator::land},
     {.count = 1, .type = Type::u8, .op = Operator::lor},
     {"land", "lor"}},
    {"types", {}, {.count = 2000, .type = Type::f32}, {"f64", "f32"}},
    {"types of small messages", {.count = 1}, {.count = 1, .type = Type::i64}, {"f64", "i64"}},
    {"orders", {.count = 1}, {.count = 1, .order = Order::serial}, {"allreduce", "order serial"}},
    {"roots",
     {.collective = broadcast, .count = 1, .root = 1},
     {.collective = broadcast, .count = 1, .root = 0},
     {"root 1", "root 0"}},
    {"roots of long broadcasts",
     {.collective = broadcast, .root = 1},
     {.collective = broadcast, .root = 0},
     {"root 1", "root 0"}},
    {"roots of scatters",
     {.collective = scatter, .count = 1, .in_place = false, .root = 1},
     {.collective = scatter, .count = 1, .in_place = false},
     {"root 1", "root 0"}},
    {"roots of gathers",
     {.collective = gather, .count = 1, .in_place = false},
     {.collective = gather, .count = 1, .in_place = false, .root = 1},
     {"root 0", "root 1"}},
    {"distances",
     {.collective = shift, .count = 1, .root = 0},
     {.collective = shift, .count = 1, .root = 1},
     {"distance 0", "distance 1"}},
    {"blocks of 20 and 24 bytes",
     {allgather, 5, Type::i32},
     {allgather, 6, Type::i32},
     {"bytes", "allgather"}},
    {"blocks of 8 and 800 bytes", {allgather, 1}, {allgather, 100}, {"bytes", "allgather"}},
    {"counts",
     {.collective = reduce_scatter, .skew = 0},
     {.collective = reduce_scatter, .skew = 1},
     {"counts differ", "reduce_scatter"}},
};

// NOLINTNEXTLINE(cert-err58-cpp)
const std::vector<Difference> differences_of_algorithms{
    {"barriers",
     {barrier},
     {.collective = barrier, .algorithm = "dissemination"},
     {"direct", "dissemination"}},
    {"algorithms", {.algorithm = "direct"}, {.algorithm = "circulant"}, {"direct", "circulant"}},
    {"skips",
     {.algorithm = "circulant"},
     {.algorithm = "circulant-square-root"},
     {"circulant", "square-root"}},
};

/// All ranks call the same, then differ, and call the same again.
void check_told(Ranks& ranks, const Difference& each, bool is_async) {
    const auto size = static_cast<std::size_t>(ranks.size());
    std::vector<Thrown> told(size);
    const Thrown run = thrown_by([&] {
        ranks.run([&](WayCaller& me) {
            const auto rank = static_cast<std::size_t>(me.rank());
            made(me, {.count = 3}); // from which it may be released by the others
            told[rank] = made(me, me.rank() % 2 == 0 ? each.even : each.odd);
            if (told[rank].kind == Kind::nothing) { // it has had nothing to wait for
                told[rank] = made(me, {barrier});
            }
        });
    });
    const auto count = [&](Kind kind) {
        return std::ranges::count(told, kind, [](const Thrown& thrown) { return thrown.kind; });
    };
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
