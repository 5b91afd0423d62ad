#pragma once

#include "tests/std.hpp"

#include <tutti/team.hpp>

namespace tutti::test {

inline constexpr int all_team_sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                         11, 12, 13, 14, 15, 16, 31, 32, 33, 64};

/// The start of each member's part of `count` elements, and the end: random, with empty parts.
inline std::vector<std::size_t> random_borders(int members, std::size_t count, std::mt19937& engine) {
    std::vector<std::size_t> borders = {0, count};
    for (int i = 1; i < members; ++i) {
        borders.push_back(engine() % (count + 1));
    }
    std::sort(borders.begin(), borders.end());
    return borders;
}

template <class T>
std::span<const T> part(const std::vector<T>& all, const std::vector<std::size_t>& borders, int rank) {
    const auto at = static_cast<std::size_t>(rank);
    return std::span<const T>(all).subspan(borders[at], borders[at + 1] - borders[at]);
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

inline Team team_of(int members) {
    return Team(members, {.placement = "none"});
}

/// How many random vectors a test takes: TUTTI_TEST_VECTORS. Accumulators take minutes for 10000.
inline int vectors_or(int usual) {
    const char* const set = std::getenv("TUTTI_TEST_VECTORS");
    return set != nullptr ? std::atoi(set) : usual;
}

} // namespace tutti::test
