#pragma once

#include <tutti/detail/kernels.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tutti::kernel {

/// Stores zeros, past the caches if `stream`.
inline void clear(void* to, std::size_t bytes, bool stream) {
    static const std::byte zeros[4096] = {};
    if (!stream && bytes != 0) {
        std::memset(to, 0, bytes);
        return;
    }
    for (std::size_t begin = 0; begin < bytes; begin += sizeof zeros) {
        void* const part = static_cast<std::byte*>(to) + begin;
        detail::copy_many(&part, 1, zeros, std::min(sizeof zeros, bytes - begin), {.stream = true});
    }
}

} // namespace tutti::kernel
