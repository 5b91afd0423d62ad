#pragma once

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tutti::mailbox {

/// Between two looks at a word that another thread is to write. It leaves the core to a thread that shares
/// it, and the cache line to its writer.
inline void pause() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace tutti::mailbox
