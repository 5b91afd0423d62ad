// Which kernels there are, and operators: those that choose among their operands in every order and
// association.

#include "../test.hpp"
#include "kernel/table.hpp"
#include "reference.hpp"

#include <tutti/accumulate.hpp>
#include <tutti/detail/kernels.hpp>
#include <tutti/detail/template_loops.hpp>
#include <tutti/extremes.hpp>
#include <tutti/operators.hpp>

using tutti::Applicable;
using tutti::type_of;
using tutti::kernel::Isa;
using enum tutti::Type;

namespace {

template <tutti::Type type>
void check_kernels_of_type() {
    using tutti::detail::builtin;
    CHECK((tutti::detail::builtin_of(type) == &builtin<type>));
    CHECK(&tutti::detail::builtin_sum<type>(tutti::Operator::sum) == &builtin<type>(tutti::Operator::sum));
    for (std::size_t code = 0; code < tutti::kernel::operator_count; ++code) {
        const auto op = static_cast<tutti::Operator>(code);
        INFO(std::string(to_string(type)), ", ", std::string(to_string(op)));
        CHECK((builtin<type>(op).reduce != nullptr) == tutti::detail::has_builtin(type, op));
        CHECK(&builtin<type>(op) == &tutti::kernel::kernels_in<type>(tutti::kernel::chosen_isa(), op));
    }
    CHECK(!tutti::detail::has_builtin(type, tutti::Operator::callable));
}

TEST_CASE(
    "TUTTI_ISA lowers the instruction set of the kernels, which all pairs have that has_builtin() names") {
    const auto isas = tutti::kernel::available_isas();
    const char* const variable = std::getenv("TUTTI_ISA");
    const std::string wanted = variable == nullptr ? "" : variable;
    const std::size_t admitted = wanted == "generic" ? 1 : wanted == "avx2" ? 2 : 3;
    const Isa expected = isas[std::min(admitted, isas.size()) - 1];
    CHECK(tutti::kernel::chosen_isa() == expected);
    CHECK(std::string(tutti::detail::kernel_isa()) == to_string(expected));
    []<std::size_t... type>(std::index_sequence<type...>) {
        (check_kernels_of_type<static_cast<tutti::Type>(type)>(), ...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(other)>());
    CHECK(!tutti::detail::has_builtin(other, tutti::Operator::sum));
}

#ifndef TUTTI_ISA_ONLY
TEST_CASE("the narrowest kernels are always there") {
    const auto isas = tutti::kernel::available_isas();
    REQUIRE(!isas.empty());
    CHECK(isas.front() == Isa::generic);
}
#endif

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

static_assert(tutti::min(-0.0, 0.0) == 0 && tutti::max(1.0F, 2.0F) == 2);
static_assert(!Applicable<tutti::Min, bool> && !Applicable<tutti::Max, std::complex<float>>);

TEST_CASE_TEMPLATE("min and max: one result, bit for bit, in every order", T, float, double, long double) {
    const std::vector<T> values = special_values<T>();
    CHECK(has_one_result(tutti::min, values, same_value<T>));
    CHECK(has_one_result(tutti::max, values, same_value<T>));
}

TEST_CASE("minloc and maxloc choose the same element in every order and association") {
    CHECK(has_one_result(tutti::minloc, places(), same_place));
    CHECK(has_one_result(tutti::maxloc, places(), same_place));
}

enum class Colour : int {};
struct Money {
    long cents;
    friend constexpr Money operator+(Money a, Money b) { return {a.cents + b.cents}; }
    friend constexpr bool operator<(Money a, Money b) { return a.cents < b.cents; }
};
struct Flags {
    unsigned bits;
    friend constexpr Flags operator|(Flags a, Flags b) { return {a.bits | b.bits}; }
};
using Plus = decltype([](int a, int b) { return a + b; });
using Counting = decltype([calls = 0](int a, int b) mutable { return a + b + ++calls; });

static_assert(type_of<std::int8_t>() == i8 && type_of<std::uint8_t>() == u8);
static_assert(type_of<short>() == i16 && type_of<unsigned short>() == u16 && type_of<char16_t>() == u16);
static_assert(type_of<int>() == i32 && type_of<unsigned>() == u32 && type_of<char32_t>() == u32);
static_assert(type_of<long long>() == i64 && type_of<unsigned long long>() == u64);
static_assert(type_of<long>() == (sizeof(long) == 8 ? i64 : i32));
static_assert(type_of<char>() == (std::numeric_limits<char>::is_signed ? i8 : u8));
static_assert(type_of<float>() == f32 && type_of<double>() == f64);
static_assert(type_of<std::complex<float>>() == complex64 && type_of<std::complex<double>>() == complex128);
static_assert(type_of<bool>() == other && type_of<long double>() == other && type_of<Colour>() == other);
static_assert(type_of<Money>() == other && type_of<std::complex<long double>>() == other);

static_assert(tutti::detail::has_builtin_kernels<double, tutti::Sum> &&
              tutti::detail::has_builtin_kernels<std::uint8_t, tutti::BitOr>);
static_assert(std::same_as<decltype(tutti::detail::reducer_of<double, std::plus<>>())::type, tutti::Sum>);

static_assert(tutti::operator_of<tutti::Sum>() == tutti::Operator::sum);
static_assert(tutti::operator_of<tutti::BitXor>() == tutti::Operator::bxor);
static_assert(tutti::operator_of<Plus>() == tutti::Operator::callable);

static_assert(Applicable<tutti::Sum, int> && Applicable<tutti::Prod, std::complex<double>>);
static_assert(Applicable<tutti::Min, double> && !Applicable<tutti::Min, std::complex<double>>);
static_assert(Applicable<tutti::LogicalAnd, int> && !Applicable<tutti::LogicalAnd, float>);
static_assert(Applicable<tutti::BitOr, char> && !Applicable<tutti::BitOr, double>);
static_assert(Applicable<tutti::LogicalOr, bool> && !Applicable<tutti::Sum, bool> &&
              !Applicable<tutti::Max, bool> && !Applicable<tutti::BitAnd, bool>);
static_assert(Applicable<tutti::Sum, Money> && Applicable<tutti::Min, Money> &&
              !Applicable<tutti::Prod, Money>);
static_assert(Applicable<tutti::BitOr, Flags> && !Applicable<tutti::BitAnd, Flags>);
static_assert(!Applicable<tutti::Sum, Colour>);
static_assert(!Applicable<tutti::Sum, std::string>, "not trivially copyable");
static_assert(Applicable<Plus, int> && !Applicable<Plus, Money>);
static_assert(!Applicable<Counting, int>, "all members call the one operator at the same time");
static_assert(Applicable<int (*)(int, int), int> && !Applicable<int(int, int), int>);

// In constant expressions undefined overflow would not compile.
static_assert(tutti::sum(std::numeric_limits<int>::max(), 1) == std::numeric_limits<int>::min());
static_assert(tutti::prod(std::numeric_limits<long>::min(), -1L) == std::numeric_limits<long>::min());
static_assert(tutti::prod(std::uint16_t{65535}, std::uint16_t{65535}) == 1);
static_assert(tutti::sum(std::int8_t{127}, std::int8_t{1}) == -128);
static_assert(tutti::sum(Money{3}, Money{4}).cents == 7 && tutti::max(Money{3}, Money{4}).cents == 4);
static_assert(tutti::bor(Flags{1}, Flags{4}).bits == 5);
static_assert(tutti::land(true, false) == false && tutti::lxor(true, false) == true);

static_assert(Applicable<tutti::MinLoc, tutti::ValueAt<int>> &&
              Applicable<tutti::MaxLoc, tutti::ValueAt<long double>> &&
              Applicable<tutti::MinLoc, tutti::ValueAt<Money>>);
static_assert(!Applicable<tutti::MinLoc, int> && !Applicable<tutti::MaxLoc, tutti::ValueAt<Flags>>);
static_assert(type_of<tutti::ValueAt<int>>() == other &&
              tutti::operator_of<tutti::MinLoc>() == tutti::Operator::callable &&
              tutti::operator_of<tutti::Commutative<tutti::Sum>>() == tutti::Operator::callable);
static_assert(tutti::is_commutative<tutti::Sum> && tutti::is_commutative<tutti::MaxLoc> &&
              tutti::is_commutative<tutti::MeanIn<double>> && tutti::is_commutative<std::bit_or<>> &&
              tutti::is_commutative<std::plus<Money>>);
static_assert(!tutti::is_commutative<Plus> && !tutti::is_commutative<int (*)(int, int)> &&
              !tutti::is_commutative<std::minus<>>);
static_assert(tutti::is_commutative<decltype(tutti::commutative(Plus()))>);
static_assert(Applicable<tutti::Commutative<Plus>, int> && !Applicable<tutti::Commutative<Plus>, Money>);
static_assert(tutti::commutative([](int a, int b) { return a - b; })(5, 3) == 2);

template <class T, class Op>
void agrees_with_reference(const Op& op) {
    CHECK(tutti::operator_of<Op>() == Op::code);
    if constexpr (Applicable<Op, T>) {
        REQUIRE(reference::makes_sense<T>(Op::code));
        const auto a = reference::random_vector<T>(500, 1);
        const auto b = reference::random_vector<T>(500, 2);
        for (std::size_t i = 0; i < a.size(); ++i) {
            REQUIRE(reference::same_or_nan(op(a[i], b[i]), reference::apply(Op::code, a[i], b[i])));
        }
    } else {
        REQUIRE(!reference::makes_sense<T>(Op::code));
    }
}

TEST_CASE_TEMPLATE("the function objects compute what their names say", T, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                   float, double, std::complex<float>, std::complex<double>) {
    agrees_with_reference<T>(tutti::sum);
    agrees_with_reference<T>(tutti::prod);
    agrees_with_reference<T>(tutti::min);
    agrees_with_reference<T>(tutti::max);
    agrees_with_reference<T>(tutti::land);
    agrees_with_reference<T>(tutti::lor);
    agrees_with_reference<T>(tutti::lxor);
    agrees_with_reference<T>(tutti::band);
    agrees_with_reference<T>(tutti::bor);
    agrees_with_reference<T>(tutti::bxor);
}

TEST_CASE("types and operators have names") {
    CHECK(to_string(i8) == "i8");
    CHECK(to_string(other) == "other");
    CHECK(to_string(tutti::Operator::sum) == "sum");
    CHECK(to_string(tutti::Operator::callable) == "callable");
}

TEST_CASE("minloc and maxloc: the extreme value, the lowest place among equals, NaN before all") {
    using tutti::maxloc;
    using tutti::minloc;
    using Integer = tutti::ValueAt<int>;
    CHECK(minloc(Integer{3, 0}, Integer{-2, 1}) == Integer{-2, 1});
    CHECK(maxloc(Integer{3, 0}, Integer{-2, 1}) == Integer{3, 0});
    CHECK(minloc(Integer{3, 5}, Integer{3, 4}) == Integer{3, 4});
    CHECK(maxloc(Integer{3, 5}, Integer{3, 4}) == Integer{3, 4});
    using Real = tutti::ValueAt<float>;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(minloc(Real{0.0F, 2}, Real{-0.0F, 1}).at == 1);
    CHECK(maxloc(Real{0.0F, 1}, Real{-0.0F, 2}).at == 1);
    CHECK(minloc(Real{-9, 0}, Real{nan, 5}).at == 5);
    CHECK(maxloc(Real{nan, 5}, Real{9, 0}).at == 5);
    CHECK(maxloc(Real{nan, 5}, Real{nan, 3}).at == 3);
    CHECK(maxloc(tutti::ValueAt<Money>{{1}, 0}, tutti::ValueAt<Money>{{2}, 1}).at == 1);
}

} // namespace
