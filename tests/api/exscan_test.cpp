// The exclusive scan of one object by value, and what it leaves on rank 0.

#include "support.hpp"

#include <tutti/extremes.hpp>

using namespace tutti;

namespace {

/// What each member of a team returns from `call`.
template <class Call>
auto results(int members, const Call& call) {
    return Team(members, {.placement = "none"}).run(call);
}

/// The result of rank 0.
template <class T, class Op>
T on_rank_0(T mine, const Op& op) {
    return results(2, [&](Member& me) { return me.exscan(mine, op); })[0];
}

struct Longest { // an operator of the program that has an identity
    int operator()(int a, int b) const { return a < b ? b : a; }
    template <std::same_as<int> T>
    static constexpr T identity() {
        return -1;
    }
};

} // namespace

TEST_CASE("an exscan by value returns the identity of the operator on rank 0") {
    for (const int members : {1, 2, 5}) {
        std::vector<int> offsets(static_cast<std::size_t>(members));
        for (int rank = 0; rank < members; ++rank) {
            offsets[static_cast<std::size_t>(rank)] = 10 * rank;
        }
        CHECK(results(members, [](Member& me) { return me.exscan(10, sum); }) == offsets);
    }
    using Limits = std::numeric_limits<double>;
    CHECK(on_rank_0(5.0, sum) == 0);
    CHECK(on_rank_0(std::complex<float>(3, 4), sum) == std::complex<float>());
    CHECK(on_rank_0(5.0, prod) == 1);
    CHECK(on_rank_0(std::complex<double>(3, 4), prod) == std::complex<double>(1));
    CHECK(on_rank_0(5.0, min) == Limits::infinity());
    CHECK(on_rank_0(5.0, max) == -Limits::infinity());
    CHECK(on_rank_0(5.0, minimum) == Limits::infinity());
    CHECK(on_rank_0(5.0F, maximum) == -std::numeric_limits<float>::infinity());
    CHECK(on_rank_0(MinMax<int>::of(5), minmax) == MinMax<int>::of(std::span<const int>()));
    CHECK(on_rank_0(std::byte{5}, band) == std::byte{255});
    CHECK(on_rank_0(std::int8_t{5}, min) == 127);
    CHECK(on_rank_0(std::int8_t{5}, max) == -128);
    CHECK(on_rank_0(5U, max) == 0);
    CHECK(on_rank_0(0, land) == 1);
    CHECK(on_rank_0(false, land));
    CHECK(on_rank_0(7, lor) == 0);
    CHECK_FALSE(on_rank_0(true, lxor));
    CHECK(on_rank_0(std::uint8_t{5}, band) == 255);
    CHECK(on_rank_0(5, band) == -1);
    CHECK(on_rank_0(5, bor) == 0);
    CHECK(on_rank_0(std::uint64_t{5}, bxor) == 0);
    CHECK(on_rank_0(5, Longest()) == -1);
    CHECK(on_rank_0(5, non_commutative(sum)) == 0);
    CHECK(on_rank_0(5.0, std::plus<>()) == 0);
    CHECK(on_rank_0(std::complex<double>(3, 4), std::plus<std::complex<double>>()) == std::complex<double>());
    CHECK(on_rank_0(5, std::multiplies<int>()) == 1);
    CHECK(on_rank_0(5.0, std::multiplies<>()) == 1);
    CHECK(on_rank_0(7, std::logical_and<>()) == 1);
    CHECK_FALSE(on_rank_0(true, std::logical_or<bool>()));
    CHECK(on_rank_0(std::uint8_t{5}, std::bit_and<std::uint8_t>()) == 255);
    CHECK(on_rank_0(5, std::bit_or<>()) == 0);
    CHECK(on_rank_0(5, std::bit_xor<int>()) == 0);
    CHECK(on_rank_0(5, non_commutative(std::plus<>())) == 0);
    CHECK(results(3, [](Member& me) { return me.exscan(10, std::plus<>()); }) == std::vector{0, 10, 20});
    static_assert(!HasIdentity<std::plus<int>, double> && !HasIdentity<std::minus<>, int> &&
                  !HasIdentity<std::function<int(int, int)>, int>);
    static_assert(!HasIdentity<MinLoc, ValueAt<int>> && !HasIdentity<MaxLoc, ValueAt<int>> &&
                  !HasIdentity<NonCommutative<MinLoc>, ValueAt<int>>);
}

TEST_CASE("the initial value of an exscan is on rank 0, and on the left in every result") {
    CHECK(results(3, [](Member& me) { return me.exscan(10, sum, 100); }) == std::vector{100, 110, 120});
    // Braces are options, as in all other calls.
    CHECK(results(3, [](Member& me) { return me.exscan(10, prod, {}); }) == std::vector{1, 10, 100});
    CHECK(results(2, [](Member& me) { return me.exscan(2.0, sum, 1); }) == std::vector{1.0, 3.0});
    const auto digits = non_commutative([](long a, long b) { return 10 * a + b; });
    CHECK(results(4, [&](Member& me) { return me.exscan(long{1} + me.rank(), digits, 9); })[1] == 91);
    const auto right = non_commutative([](int /*a*/, int b) { return b; });
    CHECK(results(2, [&](Member& me) { return me.exscan(me.rank(), right, 7); }) == std::vector{7, 0});
    const auto best = results(3, [](Member& me) {
        return me.exscan(ValueAt<int>{-me.rank(), me.rank()}, minloc, ValueAt<int>{50, -1},
                         {.order = Order::serial});
    });
    CHECK(best[0] == ValueAt<int>{50, -1});
    CHECK(best[2] == ValueAt<int>{-1, 1});
}

TEST_CASE("an exscan of buffers leaves the output of rank 0 as it was") {
    const auto two = results(3, [](Member& me) {
        const std::vector<int> in(3, 1);
        std::vector<int> out(3, 40);
        me.exscan(in, out, sum);
        return out;
    });
    CHECK(two[0] == std::vector<int>(3, 40));
    CHECK(two[2] == std::vector<int>(3, 2));
    const auto one = results(3, [](Member& me) {
        std::vector<int> inout(3, me.rank() + 5);
        me.exscan(inout, sum);
        return inout;
    });
    CHECK(one[0] == std::vector<int>(3, 5));
    CHECK(one[2] == std::vector<int>(3, 11));
}
