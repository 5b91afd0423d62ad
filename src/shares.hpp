#pragma once

#include "atomic.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace tutti {

/// The shares of a task, which any threads take, each once; one of them learns that the task is finished.
class Shares {
public:
    /// finish() must be called `finishes` times: once for each share, and by others that have a part in it.
    Shares(std::size_t count, std::size_t finishes) : taken_(count), unfinished_(finishes) {}

    std::size_t count() const { return taken_.size(); }
    /// Whether nobody has taken it. Relaxed: it only decides whose the share is.
    bool take(std::size_t index) { return !taken_[index].test_and_set(std::memory_order_relaxed); }
    /// Whether it was the last. Acquire and release: the last one sees what all others have done.
    bool finish() { return unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

private:
    std::vector<std::atomic_flag> taken_;
    Atomic<std::size_t> unfinished_;
};

} // namespace tutti
