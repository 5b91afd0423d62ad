// The library's operators and types that have no vector code, from C, held against loops over the ranks.

#include "support.hpp"
#include "tests/reference/calls_c.hpp"
#include "tests/ways/exam.hpp"

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

/// Every collective in every way of calling, held against loops over the ranks.
template <class T, class Make, class Op>
void check(const Elements& elements, Make make, Op op) {
    for (const int members : {1, 2, 3, 5}) {
        const auto reference = std::make_shared<const Reference<T>>(members, make, op);
        const DynamicOp none(Operator::sum);
        Exam exam(reference, {.bytes = sizeof(T), .op = none, .c_type = elements.type, .c_op = elements.op});
        std::vector<Job> jobs;
        for (const std::size_t n : {0U, 1U, 3U, 200U}) {
            const std::vector<int> roots{members / 2};
            const auto lengths = [n](std::size_t from, std::size_t to) {
                return (from + 2 * to + n) % 4 + from * n / 2;
            };
            for (const auto& shapes :
                 {regular_shapes(n, roots, {1, -2, 20}), irregular_shapes(lengths, roots),
                  irregular_shapes(lengths, roots, static_cast<std::uint32_t>(n))}) {
                for (const Shape& shape : shapes) {
                    jobs.push_back({shape});
                }
            }
        }
        for (const Way& way : {c_blocking_way, c_nonblocking_way, c_persistent_way, c_async_way}) {
            INFO(way.name, ", ", members, " members");
            CHECK(exam.run(*way.make({.members = members}), jobs, way.abilities.has_requests ? 8 : 1) == "");
        }
    }
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
        refused(status, "reduce_local: `op`");
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

TEST_CASE("every collective, from C, in every way: types and operators that only C has") {
    check<Pair<float>>(
        {TUTTI_2FLOAT, TUTTI_MINLOC},
        [](std::size_t rank, std::size_t i) {
            return Pair<float>{static_cast<float>((rank * 7 + i) % 3), static_cast<float>(rank)};
        },
        [](const auto& a, const auto& b) {
            return b.first < a.first || (b.first == a.first && b.second < a.second) ? b : a;
        });
    check<Pair<double, int>>(
        {TUTTI_DOUBLE_INT, TUTTI_MAXLOC},
        [](std::size_t rank, std::size_t i) {
            return Pair<double, int>{static_cast<double>((rank * 7 + i) % 3), static_cast<int>(rank)};
        },
        [](const auto& a, const auto& b) {
            return b.first > a.first || (b.first == a.first && b.second < a.second) ? b : a;
        });
    check<long double>({TUTTI_LONG_DOUBLE, TUTTI_SUM}, small<long double>, std::plus<>());
#ifdef __SIZEOF_INT128__
    const auto large = [](std::size_t rank, std::size_t i) {
        return small<detail::Unsigned128>(rank, i) << 90U;
    };
    check<detail::Unsigned128>({TUTTI_UINT128, TUTTI_BXOR}, large, std::bit_xor<>());
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
        refused(tutti_allreduce(alone.me, x, y, 1, type, op), text);
    };
    refuses(TUTTI_DOUBLE, TUTTI_MINLOC, "of pairs, such as TUTTI_DOUBLE_INT or TUTTI_2DOUBLE");
    refuses(TUTTI_DOUBLE, TUTTI_MAXLOC + 1, "neither a TUTTI_... operator");
    tutti_op own = 0;
    REQUIRE(tutti_op_create([](const void*, void*, size_t, void*) {}, nullptr, 1, &own) == TUTTI_OK);
    ok(tutti_op_free(own));
    refuses(TUTTI_DOUBLE, own, "neither a TUTTI_... operator");
}
