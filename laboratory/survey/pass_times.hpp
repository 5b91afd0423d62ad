#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::laboratory {

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

} // namespace tutti::laboratory
