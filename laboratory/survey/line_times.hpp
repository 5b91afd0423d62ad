#pragma once

#include <cstddef>
#include <span>

/// Times between CPUs, which are identified by their numbers: each on a thread of its own, by plain stores
/// and loads, in many rounds, of which the median counts, less the time of reading the clock. The rounds go
/// on for `seconds`, but there are at least 3. All throw std::runtime_error if threads cannot be pinned.
namespace tutti::laboratory {

/// ns from a store to the load of the other that sees it: half a ping-pong on one line.
double one_way_ns(int cpu, int other, double seconds);

/// ns from a store until the other, which waits for it, has seen it, if both store and wait at the same time.
double exchange_ns(int cpu, int other, double seconds);

/// ns from a store until the last of those that wait for it has seen it.
double readers_ns(int writer, std::span<const int> readers, double seconds);

/// ns a flag, for `collector` to see those that each of the others has set before on a line of its own.
double flag_ns(int collector, std::span<const int> others, double seconds);

/// ns a store to a line that `reader` has read since it was last written, done before the next begins.
double taken_back_ns(int writer, int reader, double seconds);

/// The same for lines that nobody else has.
double exclusive_store_ns(int cpu, double seconds);

} // namespace tutti::laboratory
