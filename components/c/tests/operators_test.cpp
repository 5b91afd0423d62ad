// The library's operators and types that have no vector code, from C.

#include "support.hpp"

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
        refused(status, "reduce_local: `op`");
    }
}

/// All operators of numbers, in the order of their codes, of which C has those of C++.
template <class T>
void check_operators_of(tutti_type type) {
    tutti_op number = TUTTI_SUM;
    const auto check_each = [&](const auto&... ops) { (check_local<T>(type, number++, ops), ...); };
    check_each(sum, prod, min, max, land, lor, lxor, band, bor, bxor);
}

/// Pairs of a value and a position.
template <class T, class At>
void check_positions(tutti_type type) {
    using Element = Pair<T, At>;
    const Element in[] = {{T(1), At(4)}, {T(2), At(4)}, {T(2), At(4)}};
    Element least[] = {{T(1), At(3)}, {T(1), At(9)}, {T(3), At(1)}};
    Element greatest[] = {{T(1), At(3)}, {T(1), At(9)}, {T(3), At(1)}};
    ok(tutti_reduce_local(in, least, 3, type, TUTTI_MINLOC));
    ok(tutti_reduce_local(in, greatest, 3, type, TUTTI_MAXLOC));
    CHECK((least[0] == Element{T(1), At(3)} && least[1] == Element{T(1), At(9)} && least[2] == in[2]));
    CHECK(
        (greatest[0] == Element{T(1), At(3)} && greatest[1] == in[1] && greatest[2] == Element{T(3), At(1)}));
    if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
        const T nan = std::numeric_limits<T>::quiet_NaN();
        const Element number{T(1), At(0)};
        Element shown{nan, At(8)};
        ok(tutti_reduce_local(&number, &shown, 1, type, TUTTI_MINLOC));
        CHECK((std::isnan(shown.first) && shown.second == At(8)));
    }
    refused(tutti_reduce_local(in, least, 3, type, TUTTI_SUM), "reduce_local: `op`");
}

} // namespace

TEST_CASE("collectives of types and operators that only C has") {
    on_team(3, [](tutti_member me) {
        const Pair<double, int> mine{me.rank == 1 ? 7.0 : 2.0, 10 + me.rank};
        Pair<double, int> greatest{};
        ok(tutti_allreduce(me, &mine, &greatest, 1, TUTTI_DOUBLE_INT, TUTTI_MAXLOC));
        CHECK((greatest == Pair<double, int>{7.0, 11}));
        const long double number = me.rank + 1;
        std::array<long double, 3> numbers{};
        ok(tutti_allgather(me, &number, numbers.data(), 1, TUTTI_LONG_DOUBLE));
        CHECK(numbers == std::array<long double, 3>{1, 2, 3});
    });
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
