#pragma once

// The thread sanitizer of a program does not see the synchronisation in a library that is compiled without
// it. So the library announces it. Every source of the library includes this file before all others.

#if defined(__SANITIZE_THREAD__)
#define TUTTI_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TUTTI_THREAD_SANITIZER 1
#endif
#endif

// TUTTI_SILENT: the library neither announces nor shows where calls are, to measure the cost of that.
#if !defined(TUTTI_THREAD_SANITIZER) && !defined(TUTTI_SILENT)
#define TUTTI_ANNOUNCES 1
#endif

#if defined(TUTTI_ANNOUNCES)
// Functions of the sanitizer's run-time: null in a program that is linked without it.
extern "C" { // NOLINTBEGIN(readability-identifier-naming): its names
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
} // NOLINTEND(readability-identifier-naming)
#endif

namespace tutti {

/// Whether anything is announced: the program has the thread sanitizer, and the library has not.
inline bool announces() noexcept {
#if defined(TUTTI_ANNOUNCES)
    return __tsan_release != nullptr || __tsan_acquire != nullptr;
#else
    return false;
#endif
}

/// Before a release: everything that the thread has done so far is visible to a thread that acquires at this
/// address.
inline void announce_release([[maybe_unused]] const void* address) noexcept {
#if defined(TUTTI_ANNOUNCES)
    if (__tsan_release != nullptr) [[unlikely]] {
        __tsan_release(const_cast<void*>(address));
    }
#endif
}

/// After an acquire that may have seen such a release.
inline void announce_acquire([[maybe_unused]] const void* address) noexcept {
#if defined(TUTTI_ANNOUNCES)
    if (__tsan_acquire != nullptr) [[unlikely]] {
        __tsan_acquire(const_cast<void*>(address));
    }
#endif
}

} // namespace tutti

#if defined(TUTTI_ANNOUNCES) && !defined(_GLIBCXX_SYNCHRONIZATION_HAPPENS_BEFORE)
// Macros that libstdc++ leaves to be defined before its headers: std::shared_ptr uses them where it counts
// references.
//
// So the library's copies of these inline functions differ from a program's, and in a static program the
// linker keeps one of the two for both. Either is right. The copies do the same: the macros add calls that do
// nothing unless the program has the thread sanitizer. If it has, the program's copy is instrumented, so that
// the sanitizer sees the atomic operations themselves, and the library's copy announces them.
#define _GLIBCXX_SYNCHRONIZATION_HAPPENS_BEFORE(address) ::tutti::announce_release(address)
#define _GLIBCXX_SYNCHRONIZATION_HAPPENS_AFTER(address) ::tutti::announce_acquire(address)
#endif
