#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::bench {

/// How calls are made.
struct Calling {
    enum class Way {
        blocking,
        /// Started, and waited for at once.
        started,
        /// Prepared before; started and waited for.
        persistent,
        /// At an AsyncGroup, by each member for a rank, and waited for at once.
        arriving,
        /// By member 0 for all, while the others sleep; long ones with as many threads as there are members.
        all_buffers
    };
    Way way = Way::blocking;
    /// So many are started before they are waited for, each on vectors of its own, spaced() apart.
    std::size_t in_flight = 1;
};

/// The value of --calling for each way, in their order.
inline constexpr std::array<std::string_view, 5> ways_of_calling = {"blocking", "started", "persistent",
                                                                    "arriving", "all_buffers"};

/// As a contender: "tutti", "tutti_started", "tutti_64_in_flight", "tutti_persistent", "tutti_arriving",
/// "tutti_all_buffers".
std::string name_of(const Calling& calling);

/// Whether it is one of these ways.
bool has_way(const std::vector<Calling>& callings, Calling::Way way);

/// The most calls that one of them has in flight.
std::size_t most_in_flight(const std::vector<Calling>& callings);

/// Performs something so many times, as one member.
using Calls = std::function<void(std::size_t calls)>;

/// body(), so many times.
template <class Body>
Calls repeated(Body body) {
    return [body](std::size_t calls) {
        for (std::size_t call = 0; call < calls; ++call) {
            body();
        }
    };
}

} // namespace tutti::bench
