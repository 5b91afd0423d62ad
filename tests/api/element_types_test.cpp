// Element types without compiled kernels, and the operators for which they make sense.

#include "support.hpp"

#include <tutti/extremes.hpp>

using namespace tutti;

namespace {

enum class Height : std::uint16_t { low = 1, middle = 2, high = 700 };
enum Amount { none, some = 5 };
enum class Set : unsigned {};
constexpr Set operator|(Set a, Set b) {
    return Set(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

std::uint64_t mixed(std::size_t rank, std::size_t i) {
    const std::uint64_t value = (rank + 1) * 0x9e3779b97f4a7c15 + i * 0xbf58476d1ce4e5b9;
    return (value ^ value >> 29U) * 0x94d049bb133111eb;
}

template <class T>
using Make = std::function<T(std::size_t rank, std::size_t i)>;
template <class T>
using Combine = std::function<T(const T&, const T&)>;

/// The reductions and scans of vectors of `count` elements per member; how many results are wrong.
template <class T, class Op>
int wrong_results(Member& me, std::size_t count, const Op& op, const Make<T>& make, const Combine<T>& plain) {
    const auto rank = static_cast<std::size_t>(me.rank());
    const auto members = static_cast<std::size_t>(me.size());
    const auto combined = [&](std::size_t last, std::size_t i) {
        T result = make(std::size_t{0}, i);
        for (std::size_t member = 1; member <= last; ++member) {
            result = plain(result, make(member, i));
        }
        return result;
    };
    const std::size_t all = count * members;
    std::vector<T> in;
    for (std::size_t i = 0; i < all; ++i) {
        in.push_back(make(rank, i));
    }
    const T before = make(members, std::size_t{0});
    std::vector<T> out(all, before);
    std::vector<T> block(count, before);
    std::vector<T> scanned(all, before);
    me.allreduce(in, out, op);
    me.reduce_scatter(in, block, op);
    me.start.scan(in, scanned, op).wait();
    int wrong = 0;
    for (std::size_t i = 0; i < all; ++i) {
        wrong += out[i] == combined(members - 1, i) ? 0 : 1;
        wrong += scanned[i] == combined(rank, i) ? 0 : 1;
    }
    for (std::size_t i = 0; i < count; ++i) {
        wrong += block[i] == combined(members - 1, rank * count + i) ? 0 : 1;
    }
    if constexpr (!std::ranges::range<T>) { // an array would be a buffer
        const T one = me.allreduce(make(rank, std::size_t{3}), op);
        wrong += one == combined(members - 1, 3) ? 0 : 1;
    }
    return wrong;
}

template <class T, class Op>
void check(const Op& op, const Make<T>& make, const Combine<T>& plain) {
    for (const int members : {1, 2, 3, 5}) {
        Team team(members, {.placement = "none"});
        for (const std::size_t count : {1U, 7U, 500U}) {
            const std::vector<int> wrong =
                team.run([&](Member& me) { return wrong_results<T>(me, count, op, make, plain); });
            CAPTURE(members);
            CAPTURE(count);
            CHECK(wrong == std::vector<int>(wrong.size()));
        }
    }
}

/// `op` is its own reference where it is tested elsewhere.
template <class T, class Op>
void check(const Op& op, const Make<T>& make) {
    check<T>(op, make, Combine<T>(op));
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
    check<T>(sum, make, of([](Wide a, Wide b) { return a + b; }));
    check<T>(min, make, [](T a, T b) { return b < a ? b : a; });
    if constexpr (std::same_as<T, detail::Int128>) {
        check<T>(prod, make, of([](Wide a, Wide b) { return a * b; }));
        check<T>(maximum, make, [](T a, T b) { return a < b ? b : a; });
        check<T>(bxor, make, of([](Wide a, Wide b) { return a ^ b; }));
        check<T>(lor, make, of([](Wide a, Wide b) { return Wide{a != 0 || b != 0}; }));
    }
}

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
    const auto first = Team(2, {.placement = "none"}).run([](Member& me) {
        return static_cast<int>(me.exscan(detail::Int128{7}, sum));
    });
    CHECK(first == std::vector{0, 7});
}

TEST_CASE("long double") {
    const auto make = [](std::size_t rank, std::size_t i) {
        return static_cast<long double>(static_cast<std::int64_t>(mixed(rank, i) >> 8U)) - 0x1p54L;
    };
    check<long double>(sum, make);
    check<long double>(min, make);
    check<long double>(minimum, make);
    check<long double>(maximum, make);
    check<ValueAt<long double>>(minloc, [&](std::size_t rank, std::size_t i) {
        return ValueAt<long double>{make(rank, i), static_cast<std::int64_t>(rank)};
    });
}

TEST_CASE("bool: all, any, and an odd number") {
    const auto make = [](std::size_t rank, std::size_t i) { return mixed(rank, i) % 3 != 0; };
    const auto results = Team(3, {.placement = "none"}).run([&](Member& me) {
        int wrong = 0;
        for (std::size_t i = 0; i < 60; ++i) {
            const auto flag = [&](std::size_t rank) { return make(rank, i); };
            const bool mine = flag(static_cast<std::size_t>(me.rank()));
            wrong += me.allreduce(mine, land) == (flag(0) && flag(1) && flag(2)) ? 0 : 1;
            wrong += me.allreduce(mine, lor) == (flag(0) || flag(1) || flag(2)) ? 0 : 1;
            wrong += me.allreduce(mine, lxor) == ((flag(0) != flag(1)) != flag(2)) ? 0 : 1;
        }
        std::array<bool, 6> flags{};
        flags[static_cast<std::size_t>(me.rank())] = true;
        std::array<bool, 2> block{};
        me.reduce_scatter(flags, block, lor);
        const bool is_last = me.rank() == 2;
        return wrong + (block == std::array{!is_last, me.rank() == 0} ? 0 : 1);
    });
    CHECK(results == std::vector<int>(3));
}

TEST_CASE("any and all over the bits of words") {
    const auto byte = [](std::size_t rank, std::size_t i) { return std::byte(mixed(rank, i) & 0xffU); };
    check<std::byte>(band, byte, [](std::byte a, std::byte b) { return a & b; });
    check<std::byte>(bor, byte, [](std::byte a, std::byte b) { return a | b; });
    check<std::byte>(bxor, byte, [](std::byte a, std::byte b) { return a ^ b; });
    check<std::uint64_t>(band, mixed, [](std::uint64_t a, std::uint64_t b) { return a & b; });
    check<std::uint64_t>(bor, mixed, [](std::uint64_t a, std::uint64_t b) { return a | b; });
    static_assert(BitAnd::identity<std::byte>() == std::byte{0xff} &&
                  BitOr::identity<std::byte>() == std::byte{});
    static_assert(!Applicable<Sum, std::byte> && !Applicable<LogicalOr, std::byte>);
}

TEST_CASE("enumerations") {
    const auto level = [](std::size_t rank, std::size_t i) {
        return std::array{Height::low, Height::middle, Height::high}[mixed(rank, i) % 3];
    };
    check<Height>(min, level, [](Height a, Height b) { return std::min(a, b); });
    check<Height>(max, level, [](Height a, Height b) { return std::max(a, b); });
    check<Height>(maximum, level, [](Height a, Height b) { return std::max(a, b); });
    check<Amount>(
        max, [](std::size_t rank, std::size_t i) { return mixed(rank, i) % 2 != 0 ? some : none; },
        [](Amount a, Amount b) { return std::max(a, b); });
    check<Set>(
        bor, [](std::size_t rank, std::size_t i) { return Set(1U << mixed(rank, i) % 32); },
        [](Set a, Set b) { return a | b; });
    static_assert(!Applicable<Sum, Height> && !Applicable<BitOr, Height> && !Applicable<LogicalAnd, Height>);
}

TEST_CASE("std::pair and std::array are compared like words in a dictionary") {
    using Pair = std::pair<double, int>;
    const auto pair = [](std::size_t rank, std::size_t i) {
        return Pair(static_cast<double>(mixed(rank, i) % 5), static_cast<int>(rank));
    };
    check<Pair>(min, pair, [](const Pair& a, const Pair& b) { return std::min(a, b); });
    check<Pair>(max, pair, [](const Pair& a, const Pair& b) { return std::max(a, b); });
    using Nested = std::array<std::array<std::int16_t, 3>, 2>;
    const auto nested = [](std::size_t rank, std::size_t i) {
        const auto small = [&](std::size_t k) { return static_cast<std::int16_t>(mixed(rank, i + k) % 2); };
        return Nested{{{small(0), small(1), small(2)}, {small(3), small(4), small(5)}}};
    };
    check<Nested>(min, nested, [](const Nested& a, const Nested& b) { return std::min(a, b); });
    using Pairs = std::array<std::pair<std::int8_t, float>, 3>;
    check<Pairs>(
        max,
        [](std::size_t rank, std::size_t i) {
            Pairs pairs;
            for (std::size_t k = 0; k < 3; ++k) {
                pairs[k] = {static_cast<std::int8_t>(mixed(rank, i + k) % 2), static_cast<float>(rank)};
            }
            return pairs;
        },
        [](const Pairs& a, const Pairs& b) { return std::max(a, b); });
    check<Pair>([](const Pair& a, const Pair& b) { return Pair(a.first + b.first, a.second | b.second); },
                pair);
    static_assert(!Applicable<Sum, Pair> && !Applicable<Sum, Nested> && !Applicable<BitOr, Pair>);
}

TEST_CASE("the least and the greatest, and the positions of the greatest") {
    const auto value = [](std::size_t rank, std::size_t i) {
        return static_cast<double>(mixed(rank, i) % 1000) - 500;
    };
    check<MinMax<double>>(
        minmax, [&](std::size_t rank, std::size_t i) { return MinMax<double>::of(value(rank, i)); },
        [](const MinMax<double>& a, const MinMax<double>& b) {
            return MinMax<double>{std::min(a.min, b.min), std::max(a.max, b.max)};
        });
    check<ValueAt<double>>(maxloc, [&](std::size_t rank, std::size_t i) {
        return ValueAt<double>{std::floor(value(rank, i) / 400), static_cast<std::int64_t>(rank)};
    });
    const auto totals = Team(3, {.placement = "none"}).run([](Member& me) {
        const auto [low, high] = me.allreduce(MinMax<int>::of(me.rank()), minmax);
        return low + high;
    });
    CHECK(totals == std::vector<int>(3, 2));
}

TEST_CASE("minimum and maximum on all members: NaN, and -0, whichever member has them") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (int special = 0; special < 3; ++special) {
        const auto right = Team(3, {.placement = "none"}).run([&](Member& me) {
            const double with_nan = me.rank() == special ? nan : me.rank();
            const double zero = me.rank() == special ? -0.0 : 0.0;
            return std::isnan(me.allreduce(with_nan, minimum)) &&
                   std::isnan(me.allreduce(with_nan, maximum)) && std::signbit(me.allreduce(zero, minimum)) &&
                   !std::signbit(me.allreduce(zero, maximum)) && !std::signbit(me.allreduce(-zero, maximum));
        });
        CHECK(std::count(right.begin(), right.end(), true) == 3);
    }
}

#if defined(__FLT16_MAX__)
TEST_CASE("the compiler's number of 16 bits is the library's: a sum is rounded once") {
    static_assert(type_of<_Float16>() == Type::f16);
    Team team(3, {.placement = "none"});
    team.run([](Member& me) {
        const float mine = me.rank() == 0 ? 2048 : 1;
        CHECK(static_cast<float>(me.allreduce(static_cast<_Float16>(mine), sum)) == 2050);
    });
}
#endif
