#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

/// For one source of a program: the mutexes that threads with `counts_locks` have locked.
inline thread_local bool counts_locks = false;
inline std::atomic<int> locks{0};

/// Stands before the C library's.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    using Lock = int (*)(pthread_mutex_t*);
    static constinit std::atomic<Lock> found{nullptr}; // libc++abi locks to initialise others
    if (found == nullptr) {
        found = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    }
    locks += counts_locks ? 1 : 0;
    return found.load()(mutex);
}
