#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tutti::run {

/// Most eager messages are one element; saying so lets the compiler copy it without a call.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes == sizeof(std::uint64_t)) {
        std::memcpy(to, from, sizeof(std::uint64_t));
    } else if (bytes == sizeof(std::uint32_t)) {
        std::memcpy(to, from, sizeof(std::uint32_t));
    } else if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
}

} // namespace tutti::run
