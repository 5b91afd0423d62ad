#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::bench {

/// The times of an allreduce over the buffers of all ranks, which the calling thread has filled, in
/// microseconds, one of each for every size.
struct ParallelTimes {
    std::vector<double> alone_us;
    std::vector<double> shared_us; ///< with one more thread
};

/// The least of these touched bytes from which on a second thread pays; 0 if there is none.
std::size_t parallel_threshold_bytes(std::span<const std::size_t> touched_bytes, const ParallelTimes& times);

/// Medians of calls that touch so many bytes, for about `seconds` in all.
ParallelTimes parallel_times(std::span<const std::size_t> touched_bytes, double seconds);

} // namespace tutti::bench
