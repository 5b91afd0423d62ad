#pragma once

#include <doctest/doctest.h>

#include <random>

namespace tutti::test {

#if defined(TUTTI_REDUCED_TESTS)
/// Sanitizers make everything slower, and what another build tests in full is not repeated: less of the same.
inline constexpr bool reduced = true;
#else
inline constexpr bool reduced = false;
#endif

/// Whether to do one of many like it: one in eight where tests are reduced, others in every run.
inline bool is_sampled() {
    static std::mt19937 random = [] {
        const auto seed = std::random_device()();
        MESSAGE("seed of the sample ", seed);
        return std::mt19937(seed);
    }();
    return !reduced || random() % 8 == 0;
}

} // namespace tutti::test
