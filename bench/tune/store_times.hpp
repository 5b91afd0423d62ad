#pragma once

#include "machine/thresholds.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::bench {

/// What two members took, on CPUs of their own, to carry out the same passes in several ways: with plain
/// stores, string moves, or past the caches; in microseconds, one of each for every size.
struct StoreTimes {
    /// Of all vectors together, ascending.
    std::vector<std::size_t> touched_bytes;
    /// An allreduce: each combines half of two vectors and stores it for both, past the caches to the other.
    std::vector<double> combined_us;
    std::vector<double> combined_moved_us;
    std::vector<double> combined_streamed_us;
    /// A reduce-scatter: each combines half of two vectors for itself.
    std::vector<double> reduced_us;
    std::vector<double> reduced_streamed_us;
    /// An allgather, pushed, past the caches to the other, and to both; and pulled.
    std::vector<double> pushed_us;
    std::vector<double> pushed_moved_us;
    std::vector<double> pushed_streamed_us;
    std::vector<double> pushed_all_streamed_us;
    std::vector<double> pulled_us;
    /// A gather: one stores its own to the other.
    std::vector<double> gathered_us;
    std::vector<double> gathered_moved_us;
    std::vector<double> gathered_streamed_us;
    /// An all-to-all: each fetches what is its own.
    std::vector<double> fetched_us;
    std::vector<double> fetched_streamed_us;
};

/// From which index on `second` should be taken instead of `first`, so that the product of all times is the
/// least; the number of times if never. It gains a tenth where it begins. \pre as many of both
std::size_t best_split(std::span<const double> first, std::span<const double> second);

/// The profile of `machine`, what was measured in place of what its family says.
machine::Thresholds profile_of(const machine::Machine& machine, const StoreTimes& times);

} // namespace tutti::bench
