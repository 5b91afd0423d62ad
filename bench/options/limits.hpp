#pragma once

#include <cstddef>

namespace tutti::bench {

/// The limits of requests: members of a team, ranks of a schedule.
inline constexpr int most_members = 1024;
inline constexpr int most_ranks = 4096;
inline constexpr std::size_t most_calls_in_flight = 4096;

} // namespace tutti::bench
