#pragma once

#include <tutti/detail/kernels.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tutti::kernel {

/// Stores zeros, non-temporal if `stream`: zeros that a cache holds, and copies of these. Longer copies end
/// with fewer store fences.
inline void clear(void* to, std::size_t bytes, bool stream) {
    constexpr std::size_t copied = std::size_t{32} << 10U;
    if (bytes == 0) {
        return;
    }
    const std::size_t first = stream ? std::min(bytes, copied) : bytes;
    std::memset(to, 0, first);
    for (std::size_t begin = first; begin < bytes; begin += copied) {
        void* const part = static_cast<std::byte*>(to) + begin;
        detail::copy_many(&part, 1, to, std::min(copied, bytes - begin), {.stream = true});
    }
}

} // namespace tutti::kernel
