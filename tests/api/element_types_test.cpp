// Element types without compiled kernels, the operators for which they make sense, and identities of
// operators.

#include "../ways/exam.hpp"
#include "support.hpp"

#include <tutti/extremes.hpp>

namespace {

enum class Height : std::uint16_t { low = 1, middle = 2, high = 700 };
enum class Set : unsigned {};
constexpr Set operator|(Set a, Set b) {
    return Set(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// An allreduce of three members, held against `plain`. Groups see only how long elements are.
template <class T, class Op, class Make, class Plain>
void check_type(const Op& op, const Make& make, const Plain& plain) {
    check_members(3, [&](Member& me) {
        std::vector<T> in, out(100), expected;
        for (std::size_t i = 0; i < out.size(); ++i) {
            in.push_back(make(index_of(me), i));
            expected.push_back(plain(plain(T(make(0, i)), T(make(1, i))), T(make(2, i))));
        }
        me.allreduce(in, out, op);
        return out == expected;
    });
}

/// `op` is its own reference where it is tested elsewhere.
template <class T, class Op, class Make>
void check_type(const Op& op, const Make& make) {
    check_type<T>(op, make, op);
}

template <class T>
void check_wide_integers() {
    const auto make = [](std::size_t rank, std::size_t i) {
        return static_cast<T>(static_cast<detail::Unsigned128>(mixed(rank, i)) << 64U | mixed(i, rank));
    };
    using Wide = detail::Unsigned128;
    const auto of = [](auto f) {
        return [f](T a, T b) { return static_cast<T>(f(static_cast<Wide>(a), static_cast<Wide>(b))); };
    };
    check_type<T>(sum, make, of([](Wide a, Wide b) { return a + b; }));
    check_type<T>(min, make, [](T a, T b) { return b < a ? b : a; });
    if constexpr (std::same_as<T, detail::Int128>) {
        check_type<T>(prod, make, of([](Wide a, Wide b) { return a * b; }));
        check_type<T>(max, make, [](T a, T b) { return a < b ? b : a; });
        check_type<T>(bxor, make, of([](Wide a, Wide b) { return a ^ b; }));
        check_type<T>(lor, make, of([](Wide a, Wide b) { return Wide{a != 0 || b != 0}; }));
    }
}

/// What each member of a team returns from `call`.
template <class Call>
auto results(int members, const Call& call) {
    return Team(members, {.placement = Placement::none}).run(call);
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

TEST_CASE("integers of 128 bits") {
    check_wide_integers<detail::Int128>();
    check_wide_integers<detail::Unsigned128>();
    static_assert(sum(detail::greatest<detail::Int128>(), detail::Int128{1}) ==
                  detail::least<detail::Int128>());
    static_assert(Min::identity<detail::Unsigned128>() == ~detail::Unsigned128{0} &&
                  Max::identity<detail::Unsigned128>() == 0);
    static_assert(Max::identity<detail::Int128>() < 0 &&
                  Min::identity<detail::Int128>() == ~Max::identity<detail::Int128>());
}

TEST_CASE("long double") {
    const auto make = [](std::size_t rank, std::size_t i) {
        return static_cast<long double>(static_cast<std::int64_t>(mixed(rank, i) >> 8U)) - 0x1p54L;
    };
    check_type<long double>(sum, make);
    check_type<long double>(min, make);
    check_type<long double>(max, make);
    check_type<ValueAt<long double>>(minloc, [&](std::size_t rank, std::size_t i) {
        return ValueAt<long double>{make(rank, i), static_cast<std::int64_t>(rank)};
    });
}

TEST_CASE("bool: all, any, and an odd number") {
    check_members(3, [&](Member& me) {
        int wrong = 0;
        for (unsigned bits = 0; bits < 8; ++bits) { // one of each member
            const bool mine = (bits >> index_of(me)) % 2 != 0;
            wrong += me.allreduce(mine, land) == (bits == 7) ? 0 : 1;
            wrong += me.allreduce(mine, lor) == (bits != 0) ? 0 : 1;
            wrong += me.allreduce(mine, lxor) == (std::popcount(bits) % 2 != 0) ? 0 : 1;
        }
        std::array<bool, 6> flags{};
        flags[index_of(me)] = true;
        std::array<bool, 2> block{};
        me.reduce_scatter(flags, block, lor);
        return wrong == 0 && block == std::array{me.rank() != 2, me.rank() == 0};
    });
}

TEST_CASE("any and all over the bits of words") {
    const auto byte = [](std::size_t rank, std::size_t i) { return std::byte(mixed(rank, i) & 0xffU); };
    check_type<std::byte>(band, byte, [](std::byte a, std::byte b) { return a & b; });
    check_type<std::byte>(bor, byte, [](std::byte a, std::byte b) { return a | b; });
    check_type<std::byte>(bxor, byte, [](std::byte a, std::byte b) { return a ^ b; });
    static_assert(BitAnd::identity<std::byte>() == std::byte{0xff} &&
                  BitOr::identity<std::byte>() == std::byte{});
    static_assert(!Applicable<Sum, std::byte> && !Applicable<LogicalOr, std::byte>);
}

TEST_CASE("enumerations") {
    const auto level = [](std::size_t rank, std::size_t i) {
        return std::array{Height::low, Height::middle, Height::high}[mixed(rank, i) % 3];
    };
    check_type<Height>(min, level, [](Height a, Height b) { return std::min(a, b); });
    check_type<Height>(max, level, [](Height a, Height b) { return std::max(a, b); });
    check_type<Set>(
        bor, [](std::size_t rank, std::size_t i) { return Set(1U << mixed(rank, i) % 32); },
        [](Set a, Set b) { return a | b; });
    static_assert(!Applicable<Sum, Height> && !Applicable<BitOr, Height> && !Applicable<LogicalAnd, Height>);
}

TEST_CASE("std::pair and std::array are compared like words in a dictionary") {
    using Pair = std::pair<double, int>;
    const auto pair = [](std::size_t rank, std::size_t i) {
        return Pair(static_cast<double>(mixed(rank, i) % 5), static_cast<int>(rank));
    };
    check_type<Pair>(min, pair, [](const Pair& a, const Pair& b) { return std::min(a, b); });
    check_type<Pair>(max, pair, [](const Pair& a, const Pair& b) { return std::max(a, b); });
    using Nested = std::array<std::array<std::int16_t, 3>, 2>;
    const auto nested = [](std::size_t rank, std::size_t i) {
        const auto small = [&](std::size_t k) { return static_cast<std::int16_t>(mixed(rank, i + k) % 2); };
        return Nested{{{small(0), small(1), small(2)}, {small(3), small(4), small(5)}}};
    };
    check_type<Nested>(min, nested, [](const Nested& a, const Nested& b) { return std::min(a, b); });
    static_assert(!Applicable<Sum, Pair> && !Applicable<Sum, Nested> && !Applicable<BitOr, Pair>);
}

TEST_CASE("the greatest value with its position") {
    const auto value = [](std::size_t rank, std::size_t i) {
        return static_cast<double>(mixed(rank, i) % 1000) - 500;
    };
    check_type<ValueAt<double>>(maxloc, [&](std::size_t rank, std::size_t i) {
        return ValueAt<double>{std::floor(value(rank, i) / 400), static_cast<std::int64_t>(rank)};
    });
}

/// 1 is half of the unit in the last place of `large`.
template <class Half>
void check_half(float large) {
    check_members(3, [large](Member& me) {
        const float mine = me.rank() == 0 ? large : 1;
        return static_cast<float>(me.allreduce(static_cast<Half>(mine), sum)) == large + 2;
    });
}

TEST_CASE("the compiler's numbers of 16 bits are the library's: a sum is rounded once") {
#if defined(__FLT16_MAX__) && (defined(__x86_64__) || defined(__clang__) || __GNUC__ >= 13)
    static_assert(type_of<_Float16>() == Type::f16);
    check_half<_Float16>(2048);
#endif
#if defined(__x86_64__) && defined(__clang__) && __clang_major__ >= 17
    static_assert(type_of<__bf16>() == Type::bf16); // a conversion needs libgcc 13
#elif defined(__BFLT16_MAX__)
    static_assert(type_of<__bf16>() == Type::bf16);
    check_half<__bf16>(256);
#endif
}

TEST_CASE("an exscan by value returns the identity of the operator on rank 0") {
    CHECK(results(1, [](Member& me) { return me.exscan(10, sum); }) == std::vector{0});
    CHECK(results(3, [](Member& me) { return me.exscan(10, std::plus<>()); }) == std::vector{0, 10, 20});
    using Limits = std::numeric_limits<double>;
    CHECK(on_rank_0(5.0, sum) == 0);
    CHECK(on_rank_0(std::complex<float>(3, 4), sum) == std::complex<float>());
    CHECK(on_rank_0(5.0, prod) == 1);
    CHECK(on_rank_0(std::complex<double>(3, 4), prod) == 1.0);
    CHECK(on_rank_0(5.0, min) == Limits::infinity());
    CHECK(on_rank_0(5.0, max) == -Limits::infinity());
    CHECK(on_rank_0(5.0F, max) == -std::numeric_limits<float>::infinity());
    CHECK(on_rank_0(std::byte{5}, band) == std::byte{255});
    CHECK(on_rank_0(std::int8_t{5}, min) == 127);
    CHECK(on_rank_0(std::int8_t{5}, max) == -128);
    CHECK(on_rank_0(5U, max) == 0);
    CHECK(on_rank_0(0, land) == 1);
    CHECK(on_rank_0(false, land));
    CHECK(on_rank_0(7, lor) == 0);
    CHECK_FALSE(on_rank_0(true, lxor));
    CHECK(on_rank_0(5, band) == -1);
    CHECK(on_rank_0(5, bor) == 0);
    CHECK(on_rank_0(std::uint64_t{5}, bxor) == 0);
    CHECK(on_rank_0(5, Longest()) == -1);
    CHECK(on_rank_0(5, commutative(sum)) == 0);
    CHECK(on_rank_0(std::complex<double>(3, 4), std::plus<std::complex<double>>()) == std::complex<double>());
    CHECK(on_rank_0(5, std::multiplies<int>()) == 1);
    CHECK(on_rank_0(7, std::logical_and<>()) == 1);
    CHECK_FALSE(on_rank_0(true, std::logical_or<bool>()));
    CHECK(on_rank_0(std::uint8_t{5}, std::bit_and<std::uint8_t>()) == 255);
    CHECK(on_rank_0(5, std::bit_or<>()) == 0);
    CHECK(on_rank_0(5, std::bit_xor<int>()) == 0);
    CHECK(on_rank_0(5, commutative(std::plus<>())) == 0);
    static_assert(!HasIdentity<std::plus<int>, double> && !HasIdentity<std::minus<>, int> &&
                  !HasIdentity<std::function<int(int, int)>, int>);
    static_assert(!HasIdentity<MinLoc, ValueAt<int>> && !HasIdentity<MaxLoc, ValueAt<int>> &&
                  !HasIdentity<Commutative<MinLoc>, ValueAt<int>>);
}

TEST_CASE("the initial value of an exscan is on rank 0, and on the left in every result") {
    CHECK(results(3, [](Member& me) { return me.exscan(10, sum, 100); }) == std::vector{100, 110, 120});
    // Braces are options, as in all other calls.
    CHECK(results(3, [](Member& me) { return me.exscan(10, prod, {}); }) == std::vector{1, 10, 100});
    CHECK(results(2, [](Member& me) { return me.exscan(2.0, sum, 1); }) == std::vector{1.0, 3.0});
    const auto digits = [](long a, long b) { return 10 * a + b; };
    CHECK(results(4, [&](Member& me) { return me.exscan(long{1} + me.rank(), digits, 9); })[1] == 91);
    const auto right = [](int /*a*/, int b) { return b; };
    CHECK(results(2, [&](Member& me) { return me.exscan(me.rank(), right, 7); }) == std::vector{7, 0});
    const auto best = results(3, [](Member& me) {
        return me.exscan(ValueAt<int>{-me.rank(), me.rank()}, minloc, ValueAt<int>{50, -1},
                         {.order = Order::serial});
    });
    CHECK(best[0] == ValueAt<int>{50, -1});
    CHECK(best[2] == ValueAt<int>{-1, 1});
}
