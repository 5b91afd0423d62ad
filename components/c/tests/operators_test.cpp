// The library's operators and types that have no vector code, from C, held against loops over the ranks.

#include "every_way.hpp"

#include <tutti/accumulate.hpp>
#include <tutti/c.hpp>
#include <tutti/tutti.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <tuple>

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

template <class T>
void check_minmax(tutti_type type) {
    const Pair<T> in[] = {{T(1), T(1)}, {T(2), T(4)}};
    Pair<T> inout[] = {{T(3), T(3)}, {T(0), T(9)}};
    CHECK(tutti_reduce_local(in, inout, 2, type, TUTTI_MINMAX) == TUTTI_OK);
    CHECK((inout[0] == Pair<T>{T(1), T(3)} && inout[1] == Pair<T>{T(0), T(9)}));
}

/// A sum and its errors, by TwoSum (Knuth).
Pair<double> compensated(const Pair<double>& a, const Pair<double>& b) {
    const double rounded = a.first + b.first;
    const double added = rounded - a.first;
    const double error = (a.first - (rounded - added)) + (b.first - added);
    return {rounded, a.second + error + b.second};
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

TEST_CASE("every collective, from C, in every way: the least and the greatest") {
    const auto check_type = []<class T>(tutti_type type, T /*value*/) {
        check<Pair<T>>(
            few_sizes, {type, TUTTI_MINMAX},
            [](std::size_t rank, std::size_t i) {
                return Pair<T>{small<T>(rank, i), small<T>(rank, i) + T(1)};
            },
            [](const Pair<T>& a, const Pair<T>& b) {
                return Pair<T>{std::min(a.first, b.first), std::max(a.second, b.second)};
            });
    };
    check_type(TUTTI_2FLOAT, 0.0F);
    check_type(TUTTI_2DOUBLE, 0.0);
    check_type(TUTTI_2INT64, std::int64_t{0});
}

TEST_CASE("every collective, from C, in every way: the greatest values with their positions") {
    struct List {
        Pair<double, int> entries[3];
        bool operator==(const List&) const = default;
    };
    const auto best = [](const List& a, const List& b) {
        std::vector<Pair<double, int>> all(a.entries, a.entries + 3);
        all.insert(all.end(), b.entries, b.entries + 3);
        std::ranges::sort(all, [](const auto& one, const auto& other) {
            return std::tuple(one.second < 0, -one.first, one.second) <
                   std::tuple(other.second < 0, -other.first, other.second);
        });
        return List{{all[0], all[1], all[2]}};
    };
    tutti_op op = 0;
    REQUIRE(tutti_op_create_topk(TUTTI_DOUBLE_INT, 3, &op) == TUTTI_OK);
    check<List>(
        few_sizes, {tutti_type_of_size(sizeof(List)), op},
        [](std::size_t rank, std::size_t i) { // one value or two
            const auto value = static_cast<double>((rank * 7 + i) % 5);
            const int at = 2 * static_cast<int>(rank);
            const Pair<double, int> none{0, -1};
            return List{{{value, at}, i % 3 == 0 ? none : Pair<double, int>{value - 1, at + 1}, none}};
        },
        best);
    check_refused(tutti_reduce_local(&op, &op, 1, TUTTI_UINT64, op),
                  "`op` comes from tutti_op_create_topk(), whose elements have 48 bytes");
    CHECK(tutti_op_free(op) == TUTTI_OK);
    check_refused(tutti_op_create_topk(TUTTI_DOUBLE, 3, &op),
                  "op_create_topk: `pairs` is not a type of pairs");
    check_refused(tutti_op_create_topk(TUTTI_2INT, 0, &op), "op_create_topk: `k` is 0");
    check_refused(tutti_op_create_topk(TUTTI_2INT, SIZE_MAX / 4, &op), "op_create_topk");
}

TEST_CASE("every collective, from C, in every way: compensated sums") {
    check<Pair<double>>(
        few_sizes, {TUTTI_2DOUBLE, TUTTI_COMPENSATED_SUM},
        [](std::size_t rank, std::size_t i) {
            return Pair<double>{std::ldexp(1 + small<double>(rank, i) / 13, static_cast<int>(rank * 5)), 0};
        },
        compensated);
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

TEST_CASE("every collective, from C, in every way: means") {
    using Complex = std::complex<float>;
    using Wider = std::complex<double>;
    check<double>(few_sizes, {TUTTI_DOUBLE, TUTTI_MEAN}, small<double>, std::plus<>(),
                  [](double all, std::size_t n) { return all / static_cast<double>(n); });
    check<bfloat16>(few_sizes, {TUTTI_BFLOAT16, TUTTI_MEAN}, small<bfloat16>, std::plus<>(),
                    [](float all, std::size_t n) { return bfloat16(all / static_cast<float>(n)); });
    check<Complex, Wider>(
        few_sizes, {TUTTI_FLOAT_COMPLEX, TUTTI_MEAN_IN_DOUBLE},
        [](std::size_t rank, std::size_t i) { return Complex(0.1F * small<float>(rank, i), 1); },
        std::plus<>(),
        [](const Wider& all, std::size_t n) { return static_cast<Complex>(all / static_cast<double>(n)); });
}

TEST_CASE("every collective, from C, in every way: sums in double, and with factors") {
    check<float, double>(
        few_sizes, {TUTTI_FLOAT, TUTTI_SUM_IN_DOUBLE},
        [](std::size_t rank, std::size_t i) { return 0.1F * small<float>(rank, i); }, std::plus<>());
    tutti_op op = 0;
    REQUIRE(tutti_op_create_scaled_sum(3, 0.25, &op) == TUTTI_OK);
    check<float, double>(few_sizes, {TUTTI_FLOAT, op}, small<float>, std::plus<>(),
                         [](double all, std::size_t) { return static_cast<float>(all * 0.75); });
    check<float16>(few_sizes, {TUTTI_FLOAT16, op}, small<float16>, std::plus<>(),
                   [](float all, std::size_t) { return float16(all * 0.75F); });
    CHECK(tutti_op_free(op) == TUTTI_OK);
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
    check_minmax<int>(TUTTI_2INT);
    check_minmax<float>(TUTTI_2FLOAT);
    check_minmax<double>(TUTTI_2DOUBLE);
    const Pair<float> half{0x1p-30F, 0};
    Pair<float> total{1, 0};
    CHECK(tutti_reduce_local(&half, &total, 1, TUTTI_2FLOAT, TUTTI_COMPENSATED_SUM) == TUTTI_OK);
    CHECK((total == Pair<float>{1, 0x1p-30F}));
}

TEST_CASE("two operands of one thread are accumulated, from C") {
    const float in[] = {1, 2};
    float inout[] = {2, 4};
    CHECK(tutti_reduce_local(in, inout, 2, TUTTI_FLOAT, TUTTI_MEAN) == TUTTI_OK);
    CHECK((inout[0] == 1.5F && inout[1] == 3));
    double doubles[] = {1, 2};
    CHECK(tutti_reduce_local(doubles, doubles + 1, 1, TUTTI_DOUBLE, TUTTI_SUM_IN_DOUBLE) == TUTTI_OK);
    CHECK(doubles[1] == 3);
    CHECK(tutti_reduce_local(doubles, doubles + 1, 1, TUTTI_DOUBLE, TUTTI_MEAN_IN_DOUBLE) == TUTTI_OK);
    CHECK(doubles[1] == 2);
}

TEST_CASE("operators reject elements that they do not combine, from C") {
    tutti_op scaled = 0;
    REQUIRE(tutti_op_create_scaled_sum(0.5, 1, &scaled) == TUTTI_OK);
    check_refused(tutti_op_create_scaled_sum(0.5, 1, nullptr),
                  "op_create_scaled_sum: `op` is a null pointer");
    Joined alone;
    double x[2] = {1, 2};
    double y[2] = {};
    const auto refuses = [&](tutti_type type, tutti_op op, const char* text) {
        CAPTURE(type);
        check_refused(tutti_allreduce(alone.me, x, y, 1, type, op), text);
    };
    for (const tutti_type type :
         std::initializer_list<tutti_type>{TUTTI_INT32, TUTTI_UINT8, TUTTI_2DOUBLE, TUTTI_LONG_DOUBLE}) {
        refuses(type, TUTTI_MEAN, "allreduce: `op` is TUTTI_MEAN");
        refuses(type, scaled, "allreduce: `op` comes from tutti_op_create_scaled_sum()");
    }
    refuses(TUTTI_FLOAT16, TUTTI_SUM_IN_DOUBLE, "in double not of 16 bits");
    refuses(TUTTI_DOUBLE_COMPLEX, scaled, "pass complex numbers as twice as many real ones");
    refuses(TUTTI_DOUBLE, TUTTI_MINLOC, "of pairs, such as TUTTI_DOUBLE_INT or TUTTI_2DOUBLE");
    refuses(TUTTI_DOUBLE_INT, TUTTI_MINMAX,
            "`op` is TUTTI_MINMAX, which needs a `type` of two equal numbers");
    refuses(TUTTI_2INT, TUTTI_COMPENSATED_SUM,
            "`op` is TUTTI_COMPENSATED_SUM, which needs a `type` of two equal floating-point numbers");
    refuses(TUTTI_DOUBLE, TUTTI_COMPENSATED_SUM + 1, "neither a TUTTI_... operator");
    CHECK(tutti_op_free(scaled) == TUTTI_OK);
    refuses(TUTTI_DOUBLE, scaled, "neither a TUTTI_... operator");
    tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
    options.algorithm = "ring";
    const tutti_status status = run_team(3, [&](tutti_caller me) {
        std::vector<double> in(300), out(300);
        return tutti_allreduce(tutti_with_options(me, &options), in.data(), out.data(), 300, TUTTI_DOUBLE,
                               TUTTI_MEAN);
    });
    check_refused(status, "ring");
}

TEST_CASE("a prepared call keeps the factors of an operator that has been freed") {
    CHECK(run_team(2, [&](tutti_caller me) {
              tutti_op op = 0;
              tutti_request request = TUTTI_REQUEST_NULL;
              float x = 3;
              REQUIRE(tutti_op_create_scaled_sum(2, 0.5, &op) == TUTTI_OK);
              tutti_status status =
                  tutti_allreduce(tutti_persistent(me, &request), TUTTI_IN_PLACE, &x, 1, TUTTI_FLOAT, op);
              CHECK(tutti_op_free(op) == TUTTI_OK);
              status = status == TUTTI_OK ? tutti_start(&request) : status;
              status = status == TUTTI_OK ? tutti_wait(&request) : status;
              CHECK(x == 6);
              CHECK(tutti_request_free(&request) == TUTTI_OK);
              return status;
          }) == TUTTI_OK);
}

TEST_CASE("members accumulate from C and from C++ in the same calls") {
    Team team(3, {.placement = "none"});
    std::atomic<int> wrong{0};
    tutti_op op = 0;
    REQUIRE(tutti_op_create_scaled_sum(2, 0.5, &op) == TUTTI_OK);
    team.run([&](Member& me) {
        const std::vector<float> in(100, static_cast<float>(me.rank()));
        std::vector<float> means(100), sums(100);
        if (me.rank() == 1) {
            me.allreduce(in, means, mean_in<double>);
            me.allreduce(in, sums, scaled_sum(2.0, 0.5));
        } else {
            MemberFunction part = [&](tutti_caller c) {
                tutti_allreduce(c, in.data(), means.data(), 100, TUTTI_FLOAT, TUTTI_MEAN_IN_DOUBLE);
                return tutti_allreduce(c, in.data(), sums.data(), 100, TUTTI_FLOAT, op);
            };
            tutti::c::call_as_member(me, call_part, &part);
        }
        wrong += means[99] == 1 && sums[99] == 3 ? 0 : 1;
    });
    CHECK(wrong == 0);
    CHECK(tutti_op_free(op) == TUTTI_OK);
}
