#pragma once

#include "machine/profile.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::bench {

/// What two members took, on CPUs of their own, to carry out the same passes in several ways; in
/// microseconds, one of each for every size.
struct StoreTimes {
    /// Of all vectors together, ascending.
    std::vector<std::size_t> touched_bytes;
    /// An allreduce: each combines half of two vectors and stores it for both.
    std::vector<double> plain_us;
    std::vector<double> moved_us;
    std::vector<double> streamed_to_other_us;
    std::vector<double> streamed_us;
    /// An allgather, pushed by string moves, and pulled.
    std::vector<double> pushed_us;
    std::vector<double> pulled_us;
};

/// From which index on `second` should be taken instead of `first`, so that the product of all times is the
/// least; the number of times if never. It has to gain 5 %. \pre as many of both
std::size_t best_split(std::span<const double> first, std::span<const double> second);

/// The profile of `machine`, what was measured in place of what its family says.
machine::Profile profile_of(const machine::Machine& machine, const StoreTimes& times);

} // namespace tutti::bench
