// Operators that choose among their operands: in every order and association.

#include "../test.hpp"
#include "reference.hpp"

#include <tutti/extremes.hpp>
#include <tutti/operators.hpp>

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
static_assert(tutti::HasIdentity<tutti::MinAndMax, tutti::MinMax<double>>);
static_assert(!tutti::Applicable<tutti::MinAndMax, double> && !tutti::Applicable<tutti::Minimum, bool> &&
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
