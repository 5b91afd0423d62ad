// Inputs of reductions in C whose elements have another type than the results.

#include "c/src/calls.hpp"

#include <tutti/half.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <iterator>

namespace tutti::inline TUTTI_NAMESPACE::c {

namespace {

template <class From, class To>
void convert(const void* /*state*/, void* to, const void* from, std::size_t count) {
    auto* const out = static_cast<To*>(to);
    const auto* const in = static_cast<const From*>(from);
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = static_cast<To>(in[i]); // NOLINT(bugprone-signed-char-misuse): these are numbers
    }
}

struct Row {
    Type from;
    Type to;
    Conversion convert;
};

template <class From, class To>
constexpr Row row() {
    return {type_of<From>(), type_of<To>(), &convert<From, To>};
}

constexpr Row rows[] = {row<float, double>(),
                        row<float16, float>(),
                        row<float16, double>(),
                        row<bfloat16, float>(),
                        row<bfloat16, double>(),
                        row<std::complex<float>, std::complex<double>>(),
                        row<std::int8_t, std::int64_t>(),
                        row<std::int16_t, std::int64_t>(),
                        row<std::int32_t, std::int64_t>(),
                        row<std::uint8_t, std::int64_t>(),
                        row<std::uint16_t, std::int64_t>(),
                        row<std::uint32_t, std::int64_t>(),
                        row<std::uint8_t, std::uint64_t>(),
                        row<std::uint16_t, std::uint64_t>(),
                        row<std::uint32_t, std::uint64_t>(),
                        row<std::int8_t, std::int32_t>(),
                        row<std::int16_t, std::int32_t>(),
                        row<std::uint8_t, std::int32_t>(),
                        row<std::uint16_t, std::int32_t>(),
                        row<std::int8_t, double>(),
                        row<std::int16_t, double>(),
                        row<std::int32_t, double>(),
                        row<std::uint8_t, double>(),
                        row<std::uint16_t, double>(),
                        row<std::uint32_t, double>()};

} // namespace

Conversion conversion_of(Type from, Type to) {
    const auto* const found =
        std::ranges::find_if(rows, [=](const Row& row) { return row.from == from && row.to == to; });
    return found != std::end(rows) ? found->convert : nullptr;
}

} // namespace tutti::inline TUTTI_NAMESPACE::c
