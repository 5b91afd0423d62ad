#pragma once

#include <cstddef>
#include <span>

namespace tutti::laboratory {

enum class Access { read, write, copy };

/// GB/s of threads on these CPUs together, each with `bytes` of memory of its own, which lies where homes[i]
/// has touched it first. The fastest of as many passes as `seconds` last for: other programs only slow them
/// down. Memory is written and copied as memset and memcpy do. A copy counts the bytes read and the bytes
/// written. Throws std::runtime_error if threads cannot be pinned, std::bad_alloc.
/// \pre as many homes as CPUs
double memory_gbs(std::span<const int> cpus, std::span<const int> homes, Access access, std::size_t bytes,
                  double seconds);

} // namespace tutti::laboratory
