#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::bench {

/// How a member makes its calls.
struct Calling {
    enum class Way {
        blocking,
        /// Started, and waited for at once.
        started,
        /// Prepared before; started and waited for.
        persistent
    };
    Way way = Way::blocking;
    /// So many are started before they are waited for, each on vectors of its own, spaced() apart.
    std::size_t in_flight = 1;
};

/// As a contender: "tutti", "tutti_started", "tutti_64_in_flight", "tutti_persistent".
std::string name_of(const Calling& calling);

/// The most calls that one of them has in flight.
std::size_t most_in_flight(const std::vector<Calling>& callings);

} // namespace tutti::bench
