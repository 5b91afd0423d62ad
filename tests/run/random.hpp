#pragma once

#include "../std.hpp"

namespace tutti::test {

/// Mixes all bits (the finaliser of splitmix64).
constexpr std::uint64_t scrambled(std::uint64_t word) {
    word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27U)) * 0x94D049BB133111EB;
    return word ^ (word >> 31U);
}

/// Random numbers that are the same everywhere (splitmix64).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(scrambled(seed)) {}

    std::uint64_t word() { return scrambled(state_ += 0x9E3779B97F4A7C15); }
    /// Less than `limit`.
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(word() >> 11U) % limit; }
    bool one_in(std::size_t times) { return below(times) == 0; }

private:
    std::uint64_t state_;
};

} // namespace tutti::test
