#pragma once

#include "measure/gate.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

/// Times between CPUs, which are identified by their numbers: each on a thread of its own, by plain stores
/// and loads, in many rounds, of which the median counts, less the time of reading the clock. The rounds go
/// on for `seconds`, but there are at least 3. All throw std::runtime_error if threads cannot be pinned.
namespace tutti::laboratory {

/// A difference of two timings is no time where another program has taken the CPU in one of them: what
/// `measure()` returns, which is called up to three times, until that is more than `least`. Nothing if it
/// never is.
template <class Measure>
std::optional<double> measured_above(double least, Measure measure) {
    constexpr int most_tries = 3;
    for (int attempt = 0; attempt < most_tries; ++attempt) {
        const double value = measure();
        if (value > least) {
            return value;
        }
    }
    return std::nullopt;
}

/// Runs `body(i, gate)` on a thread that is pinned to CPU cpus[i], for all at once; the gate is for all of
/// them. Throws std::runtime_error if the system does not let a thread be pinned, after which none has run
/// `body`. \pre `body` does not throw
void on_cpus(std::span<const int> cpus,
             const std::function<void(std::size_t index, bench::Gate& gate)>& body);

/// ns of an allreduce of 8 bytes between two members on these CPUs, from when the first begins until the last
/// leaves, as `tutti bench` times it: they begin together. The median of as many calls as `seconds` last for.
double call_ns(int cpu, int other, double seconds);

enum class Access { read, write, copy };

/// GB/s of threads on these CPUs together, each with `bytes` of memory of its own, which lies where homes[i]
/// has touched it first. The fastest of as many passes as `seconds` last for: other programs only slow them
/// down. Memory is written and copied as memset and memcpy do. A copy counts the bytes read and the bytes
/// written. Throws std::runtime_error if threads cannot be pinned, std::bad_alloc.
/// \pre as many homes as CPUs
double memory_gbs(std::span<const int> cpus, std::span<const int> homes, Access access, std::size_t bytes,
                  double seconds);

/// The work of a CPU on vectors, by the library's own kernels.
///
/// - copy: copies one of its own
/// - combine: combines two of its own into a third
/// - fetch: copies one that the other has just written
/// - store: combines two of its own into one that the other has read
/// - meet: combines one of its own and one of the other's, which does the same meanwhile
enum class Pass : std::uint8_t { copy, combine, fetch, store, meet };

/// ns a byte of one vector: the median of some rounds, as many as `seconds` last for, less what an empty
/// round takes. Before each both CPUs write their own two vectors and read their own result, as a program
/// does between calls. Throws std::runtime_error where threads cannot be pinned.
double pass_ns_a_byte(int cpu, int other, Pass pass, std::size_t bytes, double seconds);

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
