// 16-bit floating-point numbers: their conversions, and their kernels in every instruction set.

#include "guarded.hpp"

// Conversions of 16-bit numbers by the definition of the formats, in double, which holds all their numbers
// and the halfway points between them.

namespace reference {

struct Format {
    int exponent_bits;
    int fraction_bits;
};
inline constexpr Format float16_format{5, 10};
inline constexpr Format bfloat16_format{8, 7};

/// The number that the bits stand for; for an infinity and a NaN what float has.
inline double value_of(Format format, std::uint16_t bits) {
    const int exponent = bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1);
    const int fraction = bits & ((1 << format.fraction_bits) - 1);
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == (1 << format.exponent_bits) - 1) {
        return fraction != 0 ? std::nan("") : sign * INFINITY;
    }
    const int hidden = exponent != 0 ? 1 << format.fraction_bits : 0;
    const int least = exponent != 0 ? exponent : 1;
    return sign * std::ldexp(hidden + fraction, least - bias - format.fraction_bits);
}

/// The bits of the nearest number, by bisection. Magnitudes grow with their bits.
inline std::uint16_t nearest(Format format, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    const int infinity = ((1 << format.exponent_bits) - 1) << format.fraction_bits;
    if (std::isnan(value)) {
        const std::uint32_t payload = (bits & 0x7fffffU) >> (23 - format.fraction_bits);
        const std::uint32_t quiet = 1U << (format.fraction_bits - 1);
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(infinity) | payload | quiet);
    }
    const double magnitude = std::fabs(static_cast<double>(value));
    int below = 0; // the greatest number that is not above
    for (int step = 1 << 14; step != 0; step /= 2) {
        if (below + step < infinity &&
            value_of(format, static_cast<std::uint16_t>(below + step)) <= magnitude) {
            below += step;
        }
    }
    const double low = value_of(format, static_cast<std::uint16_t>(below));
    // Beyond the greatest number, the next one is where infinity is.
    const double high = below + 1 < infinity ? value_of(format, static_cast<std::uint16_t>(below + 1))
                                             : std::ldexp(1.0, (1 << (format.exponent_bits - 1)));
    const bool up =
        magnitude - low > high - magnitude || (magnitude - low == high - magnitude && below % 2 != 0);
    return static_cast<std::uint16_t>(sign | (below + (up ? 1 : 0)));
}

} // namespace reference

namespace {

using namespace tutti;
using namespace tutti::test;

template <class T>
constexpr reference::Format format_of = reference::float16_format;
template <>
constexpr reference::Format format_of<bfloat16> = reference::bfloat16_format;

static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);
static_assert(std::is_trivially_copyable_v<float16> && std::is_trivial_v<bfloat16>);
static_assert(type_of<float16>() == Type::f16 && type_of<bfloat16>() == Type::bf16);
static_assert(float16(1.5F) == 1.5F && float16(65504) == 65504 && float16(65520) > 65504 &&
              bfloat16(256) == 256);
static_assert(bfloat16(257) == 256 && bfloat16(259) == 260 && float16(2049) == 2048);
static_assert(sum(bfloat16(1), bfloat16(2)) == 3 && min(float16(1), float16(2)) == 1);
static_assert(tutti::Min::identity<float16>() > 65504 && tutti::Max::identity<bfloat16>() < -3e38F);
static_assert(tutti::Sum::identity<bfloat16>() == 0 && tutti::Prod::identity<float16>() == 1);
static_assert(!tutti::Applicable<tutti::BitAnd, float16> && !tutti::Applicable<tutti::LogicalOr, bfloat16>);
static_assert(detail::rounds_once(Type::bf16, Operator::sum) &&
              !detail::rounds_once(Type::bf16, Operator::max) &&
              !detail::rounds_once(Type::f32, Operator::sum));

/// Numbers at which a conversion may go wrong: all 16-bit numbers, what lies halfway between them, and what
/// is next to these in float.
template <class T>
std::vector<float> boundaries() {
    std::vector<float> values{65519.99F, 65520.F, 65520.01F}; // from where on float16 has infinity
    for (const std::uint32_t beyond : {0x7f7f7fffU, 0x7f7f8000U, 0x7f7f8001U}) { // bfloat16
        values.push_back(std::bit_cast<float>(beyond));
    }
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const auto here = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(bits)));
        const auto next = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(bits + 1)));
        const auto middle = static_cast<float>((static_cast<double>(here) + static_cast<double>(next)) / 2);
        for (const float value : {here, middle}) {
            const auto at = std::bit_cast<std::uint32_t>(value);
            for (const std::uint32_t near : {at - 1, at, at + 1}) {
                values.push_back(std::bit_cast<float>(near));
            }
        }
    }
    return values;
}

template <class T>
bool converts(float value) {
    return T(value).bits() == reference::nearest(format_of<T>, value);
}

constexpr Operator operators[] = {Operator::sum, Operator::prod};

} // namespace

TEST_CASE_TEMPLATE("16-bit numbers have the value that their format defines", T, float16, bfloat16) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const T half = T::from_bits(static_cast<std::uint16_t>(bits));
        const double expected = reference::value_of(format_of<T>, half.bits());
        const auto value = static_cast<float>(half);
        if (std::isnan(expected)) {
            REQUIRE(std::isnan(value));
            REQUIRE(std::signbit(value) == ((bits & 0x8000U) != 0));
        } else {
            REQUIRE(static_cast<double>(value) == expected);
            REQUIRE(std::signbit(value) == std::signbit(expected));
        }
        // And back, except that signalling NaN become quiet.
        const unsigned quiet = std::isnan(expected) ? 1U << (format_of<T>.fraction_bits - 1) : 0;
        REQUIRE(T(value).bits() == (bits | quiet));
    }
}

TEST_CASE_TEMPLATE("floats are rounded to the nearest 16-bit number, ties to even", T, float16, bfloat16) {
    for (const float value : boundaries<T>()) {
        REQUIRE(converts<T>(value));
    }
    std::mt19937 random(1);
    for (int i = 0; i < 1'000'000; ++i) {
        REQUIRE(converts<T>(std::bit_cast<float>(static_cast<std::uint32_t>(random()))));
    }
}

TEST_CASE_TEMPLATE("doubles are rounded once, not to float first", T, float16, bfloat16) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float value : boundaries<T>()) {
        REQUIRE(T(static_cast<double>(value)).bits() == T(value).bits());
        // 16-bit numbers and the middles between them are even floats; next to them is none of the others.
        const bool is_next = (std::bit_cast<std::uint32_t>(value) & 1U) != 0;
        if (std::isnan(value) || is_next) {
            continue;
        }
        for (const float to : {infinity, -infinity}) {
            const double wide = std::nextafter(static_cast<double>(value), static_cast<double>(to));
            REQUIRE(T(wide).bits() == T(std::nextafter(value, to)).bits());
        }
    }
    CHECK(T(1e300) == infinity);
    CHECK(T(-1e-300).bits() == 0x8000);
    CHECK(T(1.0L + 0x1p-11L + 0x1p-60L) == (std::is_same_v<T, float16> ? 1 + 0x1p-10F : 1));
}

TEST_CASE_TEMPLATE("kernels of 16-bit numbers convert as the classes do, in every instruction set", T,
                   float16, bfloat16) {
    // A sum with -0 is the number itself; a product with 1 as well.
    std::vector<T> all;
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        all.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
    }
    for (const Isa isa : kernel::available_isas()) {
        for (const Operator op : operators) {
            for (const std::size_t at_once : {all.size(), std::size_t{1}}) { // whole vectors, and their ends
                std::vector<T> second(all.size(), T(op == Operator::prod ? 1.F : -0.F));
                std::vector<T> out(all.size());
                for (std::size_t i = 0; i < all.size(); i += at_once) {
                    kernel::kernels_in<type_of<T>()>(isa, op).reduce(nullptr, &out[i], &all[i], &second[i],
                                                                     at_once);
                }
                for (std::size_t i = 0; i < all.size(); ++i) {
                    const T expected = rounded<T>(
                        reference::apply(op, static_cast<float>(all[i]), static_cast<float>(second[i])));
                    INFO(std::string(to_string(isa)), " ", std::string(to_string(op)), " ", i, " at once ",
                         at_once);
                    REQUIRE(out[i].bits() == expected.bits());
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("any number of 16-bit operands is combined in float and rounded once", T, float16,
                   bfloat16) {
    std::vector<KernelCall> calls = all_scans(17);
    for (const auto association : {Association::tree, Association::left}) {
        for (const int ins : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 70, 300}) {
            for (const StoreHints stores :
                 {StoreHints{}, StoreHints{.stream = true}, StoreHints{.stream = true, .cached_out = 0},
                  StoreHints{.cached_out = 1, .move = true}}) {
                calls.push_back({.ins = ins, .outs = 2, .stores = stores, .association = association});
            }
        }
    }
    for (const Operator op : operators) {
        check_kernels<T>(op, 300, calls, {1, 2, 3, 7, 15, 33, 127, 300});
        check_kernels<T>(op, 9, all_scans(9), {3000});
        check_kernels<T>(op, 5, {{.ins = 5, .outs = 2, .stores = {.cached_out = 1, .move = true}}}, {3000});
    }
}

TEST_CASE_TEMPLATE("min and max of 16-bit numbers are one of the operands, bit for bit", T, float16,
                   bfloat16) {
    std::vector<KernelCall> calls = all_scans(5);
    for (const Association association : {Association::tree, Association::left}) {
        calls.push_back({.ins = 5, .outs = 2, .association = association});
        calls.push_back({.ins = 4, .outs = 1, .in_place = true, .association = association});
    }
    std::mt19937 random(1);
    std::vector<std::vector<T>> values(5);
    for (std::vector<T>& each : values) {
        while (each.size() < 300) { // NaNs are quiet: conversions make them so, and these kernels do not
            const unsigned nan = random() % 16 == 0 ? 0x7fc0 : 0;
            const T any = T::from_bits(static_cast<std::uint16_t>(random() | nan));
            each.emplace_back(static_cast<float>(any));
        }
    }
    for (const Operator op : {Operator::min, Operator::max}) {
        const auto combine = [op](float a, float b) { return reference::apply(op, a, b); };
        Operands<T> operands(values, combine, T(99));
        for (const Isa isa : kernel::available_isas()) {
            INFO(std::string(to_string(isa)), " ", std::string(to_string(op)));
            const auto& kernels = kernel::kernels_in<type_of<T>()>(isa, op);
            CHECK(operands.wrong(kernels, calls, {1, 33, 300}) == "");
        }
    }
}
