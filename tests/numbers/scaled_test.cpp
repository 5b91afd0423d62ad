#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

// The compiled kernels of means and sums with factors, against the loops of any operator that accumulates.

namespace {

using namespace tutti;
using detail::Association;

constexpr int most_operands = 9;
constexpr std::size_t most_elements = 40'000;

template <class T>
class Operands {
public:
    Operands() {
        std::uint32_t state = 1;
        for (auto& operand : values_) {
            for (std::size_t i = 0; i < most_elements + 3; ++i) {
                state = state * 1664525U + 1013904223U;
                const float fraction = static_cast<float>(state >> 8U) / 16777216.0F - 0.5F;
                operand.push_back(static_cast<T>(i % 101 == 7   ? std::numeric_limits<float>::infinity()
                                                 : i % 103 == 5 ? fraction * 1e-38F
                                                                : fraction));
            }
        }
    }

    /// Elements that are not aligned to vectors.
    std::vector<std::vector<T>> copies() const { return {values_, values_ + most_operands}; }

private:
    std::vector<T> values_[most_operands];
};

/// The results of a reduction to two outputs, one of which is an operand, and of a scan in place.
template <class T>
std::vector<T> results(const detail::Kernels& kernels, const void* state, const Operands<T>& operands,
                       int count, std::size_t elements, Association association, detail::StoreHints stores) {
    std::vector<std::vector<T>> buffers = operands.copies();
    std::vector<const void*> ins;
    std::vector<void*> places;
    for (auto& buffer : buffers) {
        ins.push_back(buffer.data() + 1);
        places.push_back(buffer.data() + 1);
    }
    std::vector<T> all(elements + 1);
    void* const outs[] = {places.front(), all.data() + 1};
    kernels.reduce_many(state, outs, 2, ins.data(), count, elements, association, stores);
    all.insert(all.end(), buffers[0].begin(), buffers[0].end());
    buffers[0] = operands.copies()[0];
    kernels.scan_many(state, places.data(), places.data(), count, elements, false, association, stores);
    for (const auto& buffer : buffers) {
        all.insert(all.end(), buffer.begin(), buffer.end());
    }
    return all;
}

template <class T, class Op>
void check_bits(const Op& op) {
    static const Operands<T> operands;
    const auto& compiled = detail::LoopsOf<T, Op>::type::kernels;
    const auto& reference = detail::AccumulatingLoops<T, Op>::kernels;
    REQUIRE(&compiled != &reference);
    for (const int count : {1, 2, 3, 4, 6, most_operands}) {
        for (const std::size_t elements :
             {std::size_t{1}, std::size_t{77}, std::size_t{1100}, most_elements}) {
            for (const Association association : {Association::left, Association::tree}) {
                const std::vector<T> expected =
                    results<T>(reference, &op, operands, count, elements, association, {});
                for (const detail::StoreHints stores :
                     {detail::StoreHints{}, detail::StoreHints{.stream = true},
                      detail::StoreHints{.cached_out = 0, .move = true}, detail::StoreHints{.move = true}}) {
                    const std::vector<T> got =
                        results<T>(compiled, &op, operands, count, elements, association, stores);
                    CHECK(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) == 0);
                }
            }
        }
    }
}

template <class T, class A>
void check_type() {
    check_bits<T>(mean);
    check_bits<T>(mean_in<A>);
    check_bits<T>(scaled_sum(static_cast<A>(1), static_cast<A>(0.3)));
    check_bits<T>(scaled_sum(static_cast<A>(0.7), static_cast<A>(3)));
}

} // namespace

TEST_CASE("compiled means and scaled sums have the bits of the loops of any operator") {
    check_type<float, float>();
    check_type<double, double>();
    check_type<float16, float>();
    check_type<bfloat16, float>();
}

TEST_CASE("the parts of complex means are real means") {
    check_bits<std::complex<float>>(mean);
    check_bits<std::complex<double>>(mean_in<std::complex<double>>);
}
