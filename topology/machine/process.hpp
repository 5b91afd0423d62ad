#pragma once

#include "immovable.hpp"

#include <tutti/detail/export.hpp>

#include <cstdint>
#include <mutex>

namespace tutti::machine {

/// A number that a child of fork() does not share with its parent. Costs no system call.
TUTTI_COMPONENT_API std::uint64_t this_process();

/// A mutex of something that the process has once. A child of fork() has only the thread that has forked, so
/// that a mutex which another thread of the parent held would stay locked for ever: fork() waits for all of
/// these. Lasts until the end of the process.
class ProcessMutex : Immovable {
public:
    /// A thread that holds an outer one may lock inner ones.
    enum class Order : bool { outer, inner };
    explicit ProcessMutex(Order order = Order::inner);

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    friend class ProcessMutexes;

    std::mutex mutex_;
    ProcessMutex* next_ = nullptr;
    Order order_;
};

} // namespace tutti::machine
