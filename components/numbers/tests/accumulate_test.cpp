#include "support.hpp"
#include "tests/execute/rows.hpp"

// Operators that lift elements to an accumulator, combine, and lower the result once.

namespace {

using namespace tutti;
using namespace tutti::test;

/// Exact for these elements whatever the association, and wrong if an operand is lifted or lowered twice, or
/// not at all.
struct QuadrupledAndHalved : detail::Commutes {
    float lift(float x) const { return 4 * x; }
    float operator()(float a, float b) const { return a + b; }
    template <class T>
    T lower(float total, int /*operands*/) const {
        return total / 2;
    }
};
constexpr QuadrupledAndHalved quadrupled_and_halved;

float element_of(std::size_t rank, std::size_t index) {
    return static_cast<float>(rank + 1) + static_cast<float>(index % 17) * 8;
}

} // namespace

TEST_CASE(
    "every operand is lifted once, and every result lowered once, by every algorithm that is accepted") {
    std::size_t served = 0;
    for (const int members : reduced ? std::vector{1, 2, 3, 5} : std::vector{1, 2, 3, 4, 5, 8, 13}) {
        Team team(members, {.placement = Placement::none});
        const Reference<float> reference(members, element_of, std::plus<>(),
                                         [](float total, std::size_t) { return 2 * total; });
        const auto reduces = [](const auto& row) { return detail::traits_of(row.collective).reduces(); };
        const auto serves = [&](const auto& row) {
            const bool has_single = members == 1 || detail::traits_of(row.collective).is_prefix();
            return reduces(row) && combines_in_one_pass(row, members) &&
                   (!has_single || combines_single_operands(row));
        };
        // Nothing, a word, a slot, the staging buffer, and none of these.
        const std::array<std::size_t, 5> sizes{0, 1, 3, 100, 9000};
        const auto by_name = jobs_of(members, sizes, {.exact = false, .defaults = false, .rows = serves});
        served += by_name.size();
        CHECK(wrong_calls(team, reference, by_name, quadrupled_and_halved) == 0);
        const auto by_default = jobs_of(members, sizes, {.names = false, .rows = reduces});
        CHECK(wrong_calls(team, reference, by_default, quadrupled_and_halved) == 0);
    }
    CHECK(served > 50);
}

TEST_CASE("a scan takes nothing that a scan of 16-bit numbers, which copies its first operand, has chosen") {
    Team team(2, {.placement = Placement::none});
    team.run([](Member& me) {
        for (const std::size_t bytes : {17000U, 24000U, 70000U, 300000U}) {
            const std::vector<bfloat16> halves(bytes / sizeof(bfloat16), bfloat16(1));
            std::vector<bfloat16> prefixes(halves.size());
            const std::vector<float> in(bytes / sizeof(float), 1);
            std::vector<float> out(in.size());
            for (int time = 0; time < 3; ++time) {
                me.scan(halves, prefixes, sum);
            }
            me.scan(in, out, quadrupled_and_halved);
            CHECK(std::ranges::count(out, 2.0F * static_cast<float>(me.rank() + 1)) ==
                  static_cast<std::ptrdiff_t>(out.size()));
        }
    });
}

TEST_CASE("a sum in a wider type rounds once") {
    for (const int members : {2, 3, 4, 7}) {
        Team team(members, {.placement = Placement::none});
        team.run([&](Member& me) {
            for (const std::size_t elements : {std::size_t{1}, std::size_t{9}, std::size_t{3001}}) {
                // In float each 1 would be lost.
                const std::vector<float> in(elements, me.rank() == 0 ? 16777216.0F : 1.0F);
                std::vector<float> out(elements);
                const double exact = 16777216.0 + (me.size() - 1);
                me.allreduce(in, out, sum_in<double>);
                CHECK(std::ranges::count(out, static_cast<float>(exact)) ==
                      static_cast<std::ptrdiff_t>(elements));
                me.start.allreduce(in, out, mean_in<double>).wait();
                CHECK(std::ranges::count(out, static_cast<float>(exact / me.size())) ==
                      static_cast<std::ptrdiff_t>(elements));
            }
            // Integers: the sum of 16-bit ones may leave their range on the way.
            const std::int16_t own = me.rank() % 2 == 0 ? std::int16_t{32000} : std::int16_t{-32000};
            CHECK(me.allreduce(own, sum_in<std::int64_t>) == (me.size() % 2 == 0 ? 0 : 32000));
        });
    }
}

TEST_CASE("means of real and complex numbers, of all members and of those up to here") {
    Team team(5, {.placement = Placement::none});
    team.run([](Member& me) {
        CHECK(me.allreduce(static_cast<double>(me.rank()), mean) == 2.0);
        const std::complex<double> own(me.rank(), 1);
        CHECK(me.allreduce(own, mean) == std::complex<double>(2, 1));
        CHECK(me.scan(static_cast<double>(me.rank()), mean) == me.rank() / 2.0);
        const std::vector<float> five(5, static_cast<float>(me.rank()));
        std::vector<float> block(1);
        me.reduce_scatter(five, block, mean);
        CHECK(block[0] == 2.0F);
        // Rounded in each step, the sum would stay 2048.
        const float16 half(static_cast<float>(me.rank() == 0 ? 2048 : 1));
        CHECK(static_cast<float>(me.allreduce(half, sum_in<float>)) == 2052.0F);
        CHECK(static_cast<float>(me.allreduce(half, mean)) == static_cast<float>(float16(2052.0F / 5)));
    });
}

TEST_CASE("the order from the left is kept in the accumulator") {
    Team team(4, {.placement = Placement::none});
    team.run([](Member& me) {
        const double terms[] = {1e300, 1.0, -1e300, 1.0};
        const double own = terms[me.rank()];
        CHECK(me.allreduce(own, sum_in<double>, {.order = Order::serial}) == 1.0);
        CHECK(me.allreduce(own, sum_in<double>) == 0.0);
    });
}

namespace {

/// An operator of the program: the spread of the operands, from an accumulator without default constructor.
struct Spread {
    struct Range {
        Range(float from, float to) : low(from), high(to) {}
        float low;
        float high;
    };
    Range lift(const float& x) const { return {x, x}; }
    Range operator()(const Range& a, const Range& b) const {
        return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    template <class T>
    T lower(const Range& range, int /*operands*/) const {
        return range.high - range.low;
    }
};
static_assert(Accumulates<Spread, float>);
static_assert(!Accumulates<Sum, float>);
static_assert(!Applicable<Mean, int> && !Applicable<MeanIn<double>, int>,
              "a mean of integers would be cut off");
static_assert(Applicable<MeanIn<double>, float> && Applicable<Mean, float16>);

} // namespace

TEST_CASE("programs have such operators of their own") {
    for (const int members : {1, 2, 6}) {
        Team team(members, {.placement = Placement::none});
        team.run([](Member& me) {
            std::vector<float> own(700, static_cast<float>(me.rank() * me.rank()));
            me.allreduce(own, Spread{});
            const auto last = static_cast<float>((me.size() - 1) * (me.size() - 1));
            CHECK(std::ranges::count(own, last) == 700);
        });
    }
}

TEST_CASE("buffers of the all-buffers form and two local ones are lifted and lowered as well") {
    std::vector<double> left{1, 2};
    const std::vector<double> right{3, 6};
    reduce_local(right, left, mean);
    CHECK(left == std::vector<double>{2, 4});
    std::vector<std::vector<double>> buffers{{1, 2}, {3, 6}, {5, 10}};
    all_buffers::allreduce(buffers, mean);
    for (const auto& buffer : buffers) {
        CHECK(buffer == std::vector<double>{3, 6});
    }
}
