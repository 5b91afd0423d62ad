// The library's operators and types that have no vector code, from C, held against loops over the ranks.

#include "every_way.hpp"

#include <tutti/accumulate.hpp>
#include <tutti/c.hpp>
#include <tutti/tutti.hpp>

using namespace tutti;
using namespace tutti::test;

namespace {

template <class First, class Second = First>
struct Pair {
    First first;
    Second second;
    bool operator==(const Pair&) const = default;
};

/// A small integer.
template <class T>
T small(std::size_t rank, std::size_t i) {
    return static_cast<T>(static_cast<float>((rank * 7 + i) % 13));
}

/// inout = in op inout, of three elements.
template <class T, class Op>
void check_local(tutti_type type, tutti_op number, const Op& op) {
    CAPTURE(type);
    CAPTURE(number);
    const T left[] = {T(1), T(6), T(0)};
    const T right[] = {T(3), T(5), T(7)};
    T inout[] = {right[0], right[1], right[2]};
    const tutti_status status = tutti_reduce_local(left, inout, 3, type, number);
    if constexpr (Applicable<Op, T>) {
        CHECK(status == TUTTI_OK);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK((inout[i] == op(left[i], right[i])));
        }
    } else {
        check_refused(status, "reduce_local: `op`");
    }
}

/// All operators of numbers, of which C has those of C++.
template <class T>
void check_operators_of(tutti_type type) {
    check_local<T>(type, TUTTI_SUM, sum);
    check_local<T>(type, TUTTI_PROD, prod);
    check_local<T>(type, TUTTI_MIN, min);
    check_local<T>(type, TUTTI_MAX, max);
    check_local<T>(type, TUTTI_LAND, land);
    check_local<T>(type, TUTTI_LOR, lor);
    check_local<T>(type, TUTTI_LXOR, lxor);
    check_local<T>(type, TUTTI_BAND, band);
    check_local<T>(type, TUTTI_BOR, bor);
    check_local<T>(type, TUTTI_BXOR, bxor);
    check_local<T>(type, TUTTI_MINIMUM, minimum);
    check_local<T>(type, TUTTI_MAXIMUM, maximum);
}

/// Pairs of a value and a position.
template <class T, class At>
void check_positions(tutti_type type) {
    using Element = Pair<T, At>;
    const Element in[] = {{T(1), At(4)}, {T(2), At(4)}, {T(2), At(4)}};
    Element least[] = {{T(1), At(3)}, {T(1), At(9)}, {T(3), At(1)}};
    Element greatest[] = {{T(1), At(3)}, {T(1), At(9)}, {T(3), At(1)}};
    CHECK(tutti_reduce_local(in, least, 3, type, TUTTI_MINLOC) == TUTTI_OK);
    CHECK(tutti_reduce_local(in, greatest, 3, type, TUTTI_MAXLOC) == TUTTI_OK);
    CHECK((least[0] == Element{T(1), At(3)} && least[1] == Element{T(1), At(9)} && least[2] == in[2]));
    CHECK(
        (greatest[0] == Element{T(1), At(3)} && greatest[1] == in[1] && greatest[2] == Element{T(3), At(1)}));
    if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
        const T nan = std::numeric_limits<T>::quiet_NaN();
        const Element number{T(1), At(0)};
        Element shown{nan, At(8)};
        CHECK(tutti_reduce_local(&number, &shown, 1, type, TUTTI_MINLOC) == TUTTI_OK);
        CHECK((std::isnan(shown.first) && shown.second == At(8)));
    }
    check_refused(tutti_reduce_local(in, least, 3, type, TUTTI_SUM), "reduce_local: `op`");
}

} // namespace

TEST_CASE("every collective, from C, in every way: the least value and the lowest rank that has it") {
    const auto least = []<class T>(const T& a, const T& b) {
        return b.first < a.first || (b.first == a.first && b.second < a.second) ? b : a;
    };
    check<Pair<double, int>>(
        few_sizes, {TUTTI_DOUBLE_INT, TUTTI_MINLOC},
        [](std::size_t rank, std::size_t i) {
            return Pair<double, int>{static_cast<double>((rank * 7 + i) % 3), static_cast<int>(rank)};
        },
        least);
    check<Pair<float>>(
        few_sizes, {TUTTI_2FLOAT, TUTTI_MINLOC},
        [](std::size_t rank, std::size_t i) {
            return Pair<float>{static_cast<float>((rank * 7 + i) % 3), static_cast<float>(rank)};
        },
        least);
}

TEST_CASE("every collective, from C, in every way: the greatest value and the lowest position that has it") {
    const auto check_type = []<class T, class At>(tutti_type type, Pair<T, At> /*value*/) {
        using Element = Pair<T, At>;
        check<Element>(
            few_sizes, {type, TUTTI_MAXLOC},
            [](std::size_t rank, std::size_t i) {
                return Element{static_cast<T>((rank * 7 + i) % 3), static_cast<At>(rank)};
            },
            [](const Element& a, const Element& b) {
                return b.first > a.first || (b.first == a.first && b.second < a.second) ? b : a;
            });
    };
    check_type(TUTTI_FLOAT_INT, Pair<float, int>{});
    check_type(TUTTI_LONG_INT, Pair<long, int>{});
    check_type(TUTTI_2INT, Pair<int>{});
}

TEST_CASE("every collective, from C, in every way: long numbers") {
    check<long double>(few_sizes, {TUTTI_LONG_DOUBLE, TUTTI_SUM}, small<long double>, std::plus<>());
#ifdef __SIZEOF_INT128__
    const auto large = []<class T>(T /*zero*/) {
        return [](std::size_t rank, std::size_t i) { return small<T>(rank, i) << 90U; };
    };
    check<detail::Int128>(few_sizes, {TUTTI_INT128, TUTTI_SUM}, large(detail::Int128()), std::plus<>());
    check<detail::Unsigned128>(few_sizes, {TUTTI_UINT128, TUTTI_BXOR}, large(detail::Unsigned128()),
                               std::bit_xor<>());
#endif
}

TEST_CASE("all operators of the types without vector code, from C") {
    check_operators_of<long double>(TUTTI_LONG_DOUBLE);
#ifdef __SIZEOF_INT128__
    check_operators_of<detail::Int128>(TUTTI_INT128);
    check_operators_of<detail::Unsigned128>(TUTTI_UINT128);
#endif
    check_positions<float, int>(TUTTI_FLOAT_INT);
    check_positions<double, int>(TUTTI_DOUBLE_INT);
    check_positions<long, int>(TUTTI_LONG_INT);
    check_positions<int, int>(TUTTI_2INT);
    check_positions<float, float>(TUTTI_2FLOAT);
    check_positions<double, double>(TUTTI_2DOUBLE);
    check_positions<std::int64_t, std::int64_t>(TUTTI_2INT64);
}

TEST_CASE("operators reject elements that they do not combine, from C") {
    Joined alone;
    double x[2] = {1, 2};
    double y[2] = {};
    const auto refuses = [&](tutti_type type, tutti_op op, const char* text) {
        CAPTURE(type);
        check_refused(tutti_allreduce(alone.me, x, y, 1, type, op), text);
    };
    refuses(TUTTI_DOUBLE, TUTTI_MINLOC, "of pairs, such as TUTTI_DOUBLE_INT or TUTTI_2DOUBLE");
    refuses(TUTTI_DOUBLE, TUTTI_MAXLOC + 1, "neither a TUTTI_... operator");
    tutti_op own = 0;
    REQUIRE(tutti_op_create([](const void*, void*, size_t, void*) {}, nullptr, 1, &own) == TUTTI_OK);
    CHECK(tutti_op_free(own) == TUTTI_OK);
    refuses(TUTTI_DOUBLE, own, "neither a TUTTI_... operator");
}
