// Operators that choose among their operands, and sums in pairs: in every order and association.

#include "reference.hpp"

#include <tutti/compensated.hpp>
#include <tutti/extremes.hpp>
#include <tutti/operators.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace {

/// Whether `op` gives one result, bit for bit, for any order and association of any three of these elements.
template <class T, class Op, class Same>
bool has_one_result(const Op& op, const std::vector<T>& elements, const Same& same) {
    for (const T& a : elements) {
        for (const T& b : elements) {
            if (!same(op(a, b), op(b, a)) || !same(op(a, a), a)) {
                return false;
            }
            for (const T& c : elements) {
                if (!same(op(op(a, b), c), op(a, op(b, c)))) {
                    return false;
                }
            }
        }
    }
    return true;
}

template <class T>
std::vector<T> special_values() {
    using Limits = std::numeric_limits<T>;
    const T nan = Limits::quiet_NaN();
    std::vector<T> values{nan,  -nan,  Limits::infinity(),   -Limits::infinity(),   T(0),         -T(0),
                          T(1), T(-1), Limits::denorm_min(), -Limits::denorm_min(), Limits::max()};
    if constexpr (sizeof(T) <= sizeof(double)) {
        std::mt19937_64 random(1);
        for (int i = 0; i < 12; ++i) {
            values.push_back(reference::random_nan<T>(random));
        }
    } else {
        values.push_back(std::nanl("7"));
        values.push_back(-std::nanl("9"));
    }
    return values;
}

/// The bytes of a long double that are not padding.
template <class T>
bool same_value(const T& a, const T& b) {
    return std::memcmp(&a, &b, std::numeric_limits<T>::digits == 64 ? 10 : sizeof(T)) == 0;
}

const auto same_place = [](const tutti::ValueAt<double>& a, const tutti::ValueAt<double>& b) {
    return a.at == b.at && reference::same_bits(a.value, b.value);
};

std::vector<tutti::ValueAt<double>> places() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<tutti::ValueAt<double>> elements;
    for (const double value : {nan, -nan, infinity, -infinity, 0.0, -0.0, 1.0, 1.0}) {
        elements.push_back({value, static_cast<std::int64_t>(elements.size() * 7 % 8)});
    }
    return elements;
}

constexpr double inf = std::numeric_limits<double>::infinity();
static_assert(tutti::minimum(-0.0, 0.0) == 0 && tutti::maximum(1.0F, 2.0F) == 2);
static_assert(tutti::minmax(tutti::MinMax<int>::of(3), tutti::MinMax<int>::of(-1)) ==
              tutti::MinMax<int>{-1, 3});
static_assert(tutti::HasIdentity<tutti::MinAndMax, tutti::MinMax<double>> &&
              tutti::HasIdentity<tutti::Best, tutti::TopK<float, 3>>);
static_assert(!tutti::Applicable<tutti::MinAndMax, double> && !tutti::Applicable<tutti::Best, double> &&
              !tutti::Applicable<tutti::Minimum, bool> &&
              !tutti::Applicable<tutti::Maximum, std::complex<float>>);

} // namespace

TEST_CASE_TEMPLATE("minimum and maximum: one result, bit for bit, in every order", T, float, double,
                   long double) {
    const std::vector<T> values = special_values<T>();
    CHECK(has_one_result(tutti::minimum, values, same_value<T>));
    CHECK(has_one_result(tutti::maximum, values, same_value<T>));
}

TEST_CASE_TEMPLATE("minimum and maximum are those of IEEE 754-2019", T, float, double, long double) {
    using tutti::maximum;
    using tutti::minimum;
    for (const T a : special_values<T>()) {
        for (const T b : special_values<T>()) {
            if (std::isnan(a) || std::isnan(b)) {
                CHECK(std::isnan(minimum(a, b)));
                CHECK(std::isnan(maximum(a, b)));
            } else {
                CHECK(minimum(a, b) == std::min(a, b));
                CHECK(maximum(a, b) == std::max(a, b));
            }
        }
    }
    CHECK(std::signbit(minimum(T(0), -T(0))));
    CHECK(std::signbit(minimum(-T(0), T(0))));
    CHECK(!std::signbit(maximum(T(0), -T(0))));
    CHECK(!std::signbit(maximum(-T(0), T(0))));
}

TEST_CASE("minmax is minimum and maximum at once, also of a range and of nothing") {
    using Extremes = tutti::MinMax<double>;
    std::vector<Extremes> elements;
    for (const double value : special_values<double>()) {
        elements.push_back(Extremes::of(value));
    }
    CHECK(has_one_result(tutti::minmax, elements, reference::same_bits<Extremes>));
    const std::vector<double> values{3, -2, 7, 0};
    CHECK(Extremes::of(values) == Extremes{-2, 7});
    const Extremes none = Extremes::of(std::span<const double>());
    CHECK(none == Extremes{inf, -inf});
    CHECK(none == tutti::MinAndMax::identity<Extremes>());
    CHECK(tutti::minmax(none, Extremes::of(values)) == Extremes{-2, 7});
    const std::vector<double> with_nan{1, std::nan(""), 2};
    CHECK(std::isnan(Extremes::of(with_nan).min));
    CHECK(std::isnan(Extremes::of(with_nan).max));
}

TEST_CASE("minloc and maxloc choose the same element in every order and association") {
    CHECK(has_one_result(tutti::minloc, places(), same_place));
    CHECK(has_one_result(tutti::maxloc, places(), same_place));
}

TEST_CASE("topk: the values that sorting finds, however they are divided and combined") {
    using Top = tutti::TopK<double, 5>;
    std::mt19937 random(7);
    for (int repetition = 0; repetition < 200; ++repetition) {
        std::vector<double> values(random() % 40);
        for (double& value : values) {
            const auto digit = static_cast<double>(random() % 6);
            value = random() % 12 == 0 ? std::nan("") : random() % 9 == 0 ? -0.0 : digit;
        }
        std::vector<tutti::ValueAt<double>> sorted;
        for (const double value : values) {
            sorted.push_back({value, static_cast<std::int64_t>(sorted.size()) + 100});
        }
        std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
            return std::isnan(a.value) ? !std::isnan(b.value) : a.value > b.value;
        });
        sorted.resize(std::min<std::size_t>(sorted.size(), 5));

        std::vector<Top> parts{Top()};
        for (std::size_t begin = 0; begin < values.size();) {
            const std::size_t length = std::min<std::size_t>(random() % 9, values.size() - begin);
            parts.push_back(
                Top::of(std::span(values).subspan(begin, length), static_cast<std::int64_t>(begin) + 100));
            begin += length;
        }
        std::shuffle(parts.begin(), parts.end(), random);
        while (parts.size() > 1) {
            const Top last = parts.back();
            parts.pop_back();
            Top& other = parts[random() % parts.size()];
            other = random() % 2 == 0 ? tutti::topk(other, last) : tutti::topk(last, other);
        }
        const auto found = parts[0].entries();
        REQUIRE(std::equal(found.begin(), found.end(), sorted.begin(), sorted.end(), same_place));
    }
}

TEST_CASE("topk: fewer values than places, and integers of any range") {
    using Top = tutti::TopK<std::int32_t, 3>;
    const Top none;
    CHECK(none.entries().empty());
    CHECK(tutti::topk(none, none) == none);
    const std::array<std::int32_t, 2> values{std::numeric_limits<std::int32_t>::min(), 4};
    const Top top = Top::of(values, -1);
    REQUIRE(top.entries().size() == 2);
    CHECK(top.entries()[0] == tutti::ValueAt<std::int32_t>{4, 0});
    CHECK(top.entries()[1] == tutti::ValueAt<std::int32_t>{values[0], -1});
    CHECK(tutti::topk(Top(), top) == top);
    CHECK(tutti::topk(top, Top()) == top);
}

TEST_CASE_TEMPLATE("compensated sums recover what plain sums lose", T, float, double, long double) {
    const T big = T(1) / std::numeric_limits<T>::epsilon() * 4;
    std::vector<T> terms;
    for (int i = 0; i < 1000; ++i) {
        terms.insert(terms.end(), {big, T(1), -big});
    }
    T plain = 0;
    tutti::Compensated<T> one_by_one;
    for (const T term : terms) {
        plain += term;
        one_by_one += term;
    }
    CHECK(plain == 0);
    CHECK(one_by_one.value() == 1000);
    CHECK(tutti::Compensated<T>().add(terms).value() == 1000);
    tutti::Compensated<T> parts;
    for (std::size_t i = 0; i < terms.size(); i += 100) {
        parts = tutti::sum(parts, tutti::Compensated<T>().add(std::span(terms).subspan(i, 100)));
    }
    CHECK(parts.value() == 1000);
    CHECK(tutti::Compensated<T>() == tutti::sum(tutti::Compensated<T>(), tutti::Compensated<T>()));
}

TEST_CASE("compensated sums of infinities and NaN are the plain sums") {
    const auto sum_of = [](std::vector<double> terms) {
        return tutti::Compensated<double>().add(terms).value();
    };
    CHECK(sum_of({1, inf, 2}) == inf);
    CHECK(sum_of({-inf, 3, -inf}) == -inf);
    CHECK(std::isnan(sum_of({inf, -inf})));
    CHECK(std::isnan(sum_of({1, std::nan(""), 2})));
    CHECK(sum_of({1e308, 1e308, 1}) == inf);
    CHECK(sum_of({}) == 0);
}
