#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tutti::engine {

class SharedMemory;

/// How far the members of a group have come at some time.
struct Snapshot {
    struct Mark {
        /// The progress in blocking calls, and in nonblocking and persistent ones: both only grow.
        std::uint64_t progress = 0;
        std::uint64_t starts = 0;
        /// The CPU time of the member's thread, below 0 if there is none.
        std::chrono::nanoseconds cpu_time{-1};
    };

    /// By clock_now(); 0: never.
    std::chrono::nanoseconds at{0};
    std::vector<Mark> digests = {};
};

/// A look at a group. By any thread.
Snapshot snapshot_of(const SharedMemory& memory);

/// The last look at a group, so that the next one shows which members have moved.
class LastSnapshot {
public:
    /// Keeps `next` and returns the one before.
    Snapshot exchange(Snapshot next) {
        const std::scoped_lock lock(mutex_);
        std::swap(snapshot_, next);
        return next;
    }
    Snapshot get() {
        const std::scoped_lock lock(mutex_);
        return snapshot_;
    }
    std::chrono::nanoseconds at() {
        const std::scoped_lock lock(mutex_);
        return snapshot_.at;
    }

private:
    std::mutex mutex_;
    Snapshot snapshot_;
};

} // namespace tutti::engine
