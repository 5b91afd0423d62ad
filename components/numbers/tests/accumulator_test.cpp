#include "support.hpp"

#include <cfloat>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tutti::test {

/// The terms one by one, in fast_math.cpp, which is compiled with -ffast-math.
template <int Fold>
Reproducible<double, Fold> with_fast_math(std::span<const double> terms);

} // namespace tutti::test

using namespace tutti::test;
using tutti::Reproducible;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

static_assert(std::is_trivially_copyable_v<Reproducible<double>>);
static_assert(std::has_unique_object_representations_v<Reproducible<double, 2>> &&
              std::has_unique_object_representations_v<Reproducible<double, 3>>);
// It travels inside a cache line of the mailbox.
static_assert(sizeof(Reproducible<double, 2>) == 32 && sizeof(Reproducible<float>) == 32);

template <int Fold, class T>
Reproducible<T, Fold> by_terms(const std::vector<T>& terms) {
    Reproducible<T, Fold> made;
    for (const T term : terms) {
        made += term;
    }
    return made;
}

/// In parts of random lengths, each either term by term or as a range, merged in a random order.
template <int Fold, class T>
Reproducible<T, Fold> in_parts(const std::vector<T>& terms, std::mt19937& engine) {
    std::vector<Reproducible<T, Fold>> parts;
    for (std::size_t begin = 0; begin < terms.size();) {
        const std::size_t count = std::min<std::size_t>(terms.size() - begin, engine() % 300);
        Reproducible<T, Fold>& part = parts.emplace_back();
        const std::span<const T> range(terms.data() + begin, count);
        if (engine() % 2 == 0) {
            part.add(range);
        } else {
            for (const T term : range) {
                part += term;
            }
        }
        begin += count;
    }
    std::shuffle(parts.begin(), parts.end(), engine);
    Reproducible<T, Fold> made;
    for (const auto& part : parts) {
        made += part;
    }
    return made;
}

template <int Fold, class T>
void check(const std::vector<T>& terms, std::mt19937& engine) {
    const Reproducible<T, Fold> first = by_terms<Fold>(terms);
    if constexpr (std::is_same_v<T, double>) {
        CHECK(with_fast_math<Fold>(terms) == first);
    }
    check_error<Fold>(terms, first.value());
    std::vector<T> shuffled = terms;
    for (int i = 0; i < 3; ++i) {
        CHECK(in_parts<Fold>(shuffled, engine) == first);
        CHECK(Reproducible<T, Fold>().add(shuffled) == first);
        std::shuffle(shuffled.begin(), shuffled.end(), engine);
    }
}

template <class T>
T value_of(std::initializer_list<T> terms) {
    const std::vector<T> list(terms);
    Reproducible<T> sum;
    sum.add(list);
    CHECK(sum == by_terms < std::is_same_v<T, float> ? 2 : 3 > (list));
    std::vector<T> many(10000, T(0));
    std::copy(list.begin(), list.end(), many.begin() + 3000);
    CHECK(Reproducible<T>().add(many) == sum);
    return sum.value();
}

#if defined(__x86_64__)
/// Whether a thread that flushes subnormal numbers to 0 has the same state as one that does not, in every way
/// of adding. The terms must be normal.
template <int Fold>
bool is_same_if_flushed(const std::vector<double>& terms) {
    const Reproducible<double, Fold> expected = by_terms<Fold>(terms);
    constexpr unsigned flush_to_zero = 0x8000;
    constexpr unsigned denormals_are_zero = 0x0040;
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | flush_to_zero | denormals_are_zero);
    const Reproducible<double, Fold> one_by_one = by_terms<Fold>(terms);
    const Reproducible<double, Fold> range = Reproducible<double, Fold>().add(terms);
    _mm_setcsr(before);
    return one_by_one == expected && range == expected;
}
#endif

/// The sum of 2^49 equal terms, which are the most that are allowed.
template <int Fold>
double sum_of_most(double term) {
    Reproducible<double, Fold> sum;
    sum += term;
    for (int i = 0; i < 49; ++i) {
        sum += sum;
    }
    return sum.value();
}

} // namespace

TEST_CASE("an accumulator has one state for every order, partition and way of adding, within its bound") {
    std::mt19937 engine(1);
    for (const Terms kind : all_kinds) {
        CAPTURE(kind);
        for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 30U, 100U, 1000U, 10'000U}) {
            for (int i = 0; i < (count < 1000 ? 20 : 3); ++i) {
                CAPTURE(count);
                const auto terms = make_terms<double>(kind, count, engine);
                check<2>(terms, engine);
                check<3>(terms, engine);
                const auto floats = make_terms<float>(kind, count, engine);
                check<2>(floats, engine);
                check<3>(floats, engine);
            }
        }
    }
}

TEST_CASE("ties between two units of a bin are rounded alike in every way of adding") {
    std::mt19937 engine(2);
    for (int top = 1; top < tutti::detail::last_bin; ++top) {
        std::vector<double> terms;
        const double unit = std::ldexp(1, tutti::detail::unit_exponent(top));
        for (int i = 0; i < 100; ++i) {
            const double half = static_cast<double>(engine() % 2000) / 2 - 500;
            terms.push_back(half * unit);
            terms.push_back(half * unit * 0x1p-46);
            terms.push_back(std::nextafter(half * unit, engine() % 2 == 0 ? 0 : half * 4 * unit));
        }
        check<2>(terms, engine);
        check<3>(terms, engine);
    }
}

TEST_CASE("exact sums are exact") {
    CHECK(value_of({1.0, 2.0, 3.5}) == 6.5);
    CHECK(value_of({1e16, 1.0, -1e16}) == 1.0);
    CHECK(value_of({0.1, -0.1}) == 0.0);
    CHECK(value_of({1e8F, 1.0F, -1e8F}) == 1.0F);
    CHECK(value_of({DBL_MIN, -DBL_TRUE_MIN}) == DBL_MIN - DBL_TRUE_MIN);
    CHECK(value_of({DBL_TRUE_MIN, DBL_TRUE_MIN}) == 2 * DBL_TRUE_MIN);
    CHECK(value_of({FLT_TRUE_MIN, FLT_TRUE_MIN, -FLT_MIN}) == 2 * FLT_TRUE_MIN - FLT_MIN);
}

TEST_CASE("the value is rounded once, to the nearest number and ties to even") {
    CHECK(value_of({1.0, 0x1p-53}) == 1.0);
    CHECK(value_of({1.0, 0x1p-53, 0x1p-80}) == 1.0 + 0x1p-52);
    CHECK(value_of({1.0 + 0x1p-52, 0x1p-53}) == 1.0 + 0x1p-51);
    CHECK(value_of({-1.0, -0x1p-53, -0x1p-80}) == -1.0 - 0x1p-52);
    CHECK(value_of({1.0F, 0x1p-24F, 0x1p-60F}) == 1.0F + 0x1p-23F);
}

TEST_CASE("sums overflow at the end only; NaN and infinities are those of the exact sum") {
    CHECK(value_of({DBL_MAX, DBL_MAX, -DBL_MAX}) == DBL_MAX);
    CHECK(value_of({DBL_MAX, DBL_MAX}) == infinity);
    CHECK(value_of({-DBL_MAX, -DBL_MAX}) == -infinity);
    CHECK(value_of({FLT_MAX, FLT_MAX}) == std::numeric_limits<float>::infinity());
    CHECK(value_of({FLT_MAX, FLT_MAX, -FLT_MAX}) == FLT_MAX);
    CHECK(value_of({1.0, infinity, 5e-324}) == infinity);
    CHECK(value_of({-infinity, 1.0, -infinity, DBL_MAX}) == -infinity);
    CHECK(std::isnan(value_of({infinity, 1.0, -infinity})));
    CHECK(std::isnan(value_of({not_a_number, 1.0})));
    CHECK(std::isnan(value_of({infinity, -not_a_number, 0.0})));
    CHECK(std::isnan(value_of({std::numeric_limits<float>::quiet_NaN()})));
    const auto sum = Reproducible<double>() + Reproducible<double>();
    CHECK(same_bits(sum.value(), 0.0));
    CHECK(same_bits(value_of({-0.0, -0.0}), 0.0));
}

TEST_CASE("merging keeps what is not finite, in any order") {
    Reproducible<double> number, plus, minus;
    number += 2.0;
    plus += infinity;
    minus += -infinity;
    CHECK(number + plus == plus + number);
    CHECK((plus + number).value() == infinity);
    CHECK(plus + minus == minus + plus);
    CHECK(std::isnan((plus + minus).value()));
    number += number;
    CHECK(number.value() == 4.0);
}

TEST_CASE("products are rounded once, and exact for float") {
    std::mt19937 engine(3);
    for (const std::size_t count : {0U, 1U, 5U, 200U, 10'000U}) {
        const auto a = make_terms<double>(Terms::plain, count, engine);
        const auto b = make_terms<double>(Terms::plain, count, engine);
        Reproducible<double> by_products;
        Reproducible<double> one_by_one;
        for (std::size_t i = 0; i < count; ++i) {
            const double product = a[i] * b[i];
            by_products += product;
            one_by_one.add_product(a[i], b[i]);
        }
        CHECK(Reproducible<double>().add_products(a, b) == by_products);
        CHECK(one_by_one == by_products);
    }
    Reproducible<float> sum;
    const std::vector<float> a = {1.0F + 0x1p-23F, 1.0F};
    const std::vector<float> b = {1.0F - 0x1p-23F, -1.0F};
    CHECK(sum.add_products(a, b).value() == -0x1p-46F);
    CHECK_THROWS_WITH_AS(sum.add_products(a, std::span(b).first(1)),
                         "add_products: `a` has 2 elements and `b` has 1: they must have the same number",
                         tutti::ArgumentError);
}

TEST_CASE("carries go to the upper part of a bin") {
    const std::vector<double> ones(1 << 20, 1.0);
    Reproducible<double> sum;
    for (int i = 0; i < 3; ++i) {
        sum.add(ones);
        sum += -0.5;
    }
    CHECK(sum.value() == 3.0 * (1 << 20) - 1.5);
    for (int i = 0; i < 25; ++i) {
        sum += sum;
    }
    CHECK(sum.value() == (3.0 * (1 << 20) - 1.5) * (1 << 25));
    for (int i = 0; i < 25; ++i) {
        sum += -1e-300;
    }
    CHECK(sum.value() == (3.0 * (1 << 20) - 1.5) * (1 << 25));
}

TEST_CASE("the largest number of terms does not overflow a bin") {
    const double below = std::nextafter(4096.0, 0.0); // the largest one with its index
    for (const auto& [term, sum] : {std::pair(DBL_MAX, infinity), {below, std::ldexp(below, 49)}}) {
        for (const double sign : {1.0, -1.0}) {
            CHECK(sum_of_most<2>(sign * term) == sign * sum);
            CHECK(sum_of_most<3>(sign * term) == sign * sum);
        }
    }
}

TEST_CASE("fold 2 can lose terms that are far smaller than the largest one") {
    std::vector<double> terms(10'000, 1e-11);
    terms[0] = 4096.0;
    CHECK(Reproducible<double, 2>().add(terms).value() == 4096.0);
    CHECK(Reproducible<double, 3>().add(terms).value() > 4096.0);
}

#if defined(__x86_64__)
TEST_CASE("threads that flush subnormal numbers have the same sums of normal numbers") {
    std::mt19937 engine(6);
    for (int lowest = -1010; lowest <= -800; lowest += 5) {
        for (const int width : {0, 10, 100}) {
            CAPTURE(lowest);
            CAPTURE(width);
            std::vector<double> terms;
            for (int i = 0; i < 500; ++i) {
                const double sign = engine() % 2 == 0 ? 1 : -1;
                const double mantissa = std::uniform_real_distribution<double>(1, 2)(engine);
                const auto more = static_cast<int>(engine() % static_cast<unsigned>(width + 1));
                terms.push_back(std::ldexp(sign * mantissa, lowest + more));
            }
            CHECK(is_same_if_flushed<2>(terms));
            CHECK(is_same_if_flushed<3>(terms));
        }
    }
}
#endif
