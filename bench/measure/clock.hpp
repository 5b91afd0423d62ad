#pragma once

#include <chrono>
#include <cstdint>

namespace tutti::bench {

/// The machine's steady clock, the same in every thread and process.
inline std::int64_t now_ns() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace tutti::bench
