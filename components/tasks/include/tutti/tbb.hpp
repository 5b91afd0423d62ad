// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/async_group.hpp>
#include <tutti/detail/request_base.hpp>
#include <tutti/executor.hpp>
#include <tutti/placement.hpp>

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

// Collectives among tasks of oneTBB: the component `tbb`, for programs that link oneTBB themselves.

namespace tutti::v0_1 {

/// An executor that runs parts of large operations on the threads of an arena, for an AsyncGroup or the
/// functions of tutti/all_buffers.hpp. It returns before the tasks have run. The arena must live as long as
/// the executor is used.
inline Executor executor_of(tbb::task_arena& arena) {
    return [&arena](std::size_t count, const std::function<void(std::size_t)>& task) {
        arena.enqueue(
            [count, task] { tbb::parallel_for(std::size_t{0}, count, task, tbb::simple_partitioner()); });
    };
}

namespace detail {

/// A suspended task that an Awaiter can resume.
struct Suspended {
    tbb::task::suspend_point point;

    void resume() const { tbb::task::resume(point); }
};

} // namespace detail

/// Suspends the calling task until an operation of an AsyncGroup is complete. The thread runs other tasks
/// meanwhile, so any number of tasks may wait on a few threads. The task may resume on another thread. Throws
/// what AsyncRequest::wait() would throw. A request accepts one function, coroutine or task.
///
/// @warning Another task or thread must make the calls of the missing ranks. If all tasks are suspended here,
/// this must be a thread outside the arena.
///
/// @warning As with any suspended task, do not call it inside a catch clause or while holding a lock.
///
/// Throws Error inside a function that was passed to AsyncRequest::then(), or anything that it calls.
inline void tbb_wait(const AsyncRequest& request) {
    detail::Awaiter awaited(request.operator co_await());
    detail::require_movable_stack();
    if (!awaited.await_ready()) {
        std::exception_ptr refused;
        tbb::task::suspend([&](tbb::task::suspend_point point) {
            try {
                awaited.await_suspend(detail::Suspended{point});
            } catch (...) { // which must not leave this stack
                refused = std::current_exception();
                tbb::task::resume(point);
            }
        });
        if (refused != nullptr) {
            std::rethrow_exception(refused);
        }
    }
    awaited.await_resume();
}

void tbb_wait(const Request&) = delete; // the task may resume on a thread that must not use the request

/// Pins the threads that enter an arena, as a Team of the arena's size pins its threads. A thread gets its
/// previous CPUs back when it leaves the arena, or when this object is destroyed. A thread that the system
/// does not allow to be pinned stays as it is.
class ArenaPinning final : public tbb::task_scheduler_observer {
public:
    /// Throws ArgumentError under the same conditions as a team.
    explicit ArenaPinning(tbb::task_arena& arena, const Placement& placement = {})
        : tbb::task_scheduler_observer(arena), cpus_(cpus_of_placement(placement, arena.max_concurrency())) {
        observe(true);
    }
    ~ArenaPinning() override { observe(false); }
    ArenaPinning(const ArenaPinning&) = delete;
    ArenaPinning& operator=(const ArenaPinning&) = delete;

    /// Called by oneTBB on a thread that enters the arena.
    void on_scheduler_entry(bool /*is_worker*/) override {
        const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
        try {
            const std::lock_guard lock(mutex_);
            pinned_.emplace(std::this_thread::get_id(), cpus_[slot % cpus_.size()]);
        } catch (...) { // there is no memory: it stays unpinned
        }
    }

    /// Called by oneTBB on a thread that leaves the arena.
    void on_scheduler_exit(bool /*is_worker*/) override {
        const std::lock_guard lock(mutex_);
        // A thread may be in an arena twice; it leaves in the reverse order.
        const auto entered = pinned_.upper_bound(std::this_thread::get_id());
        if (entered != pinned_.begin() && std::prev(entered)->first == std::this_thread::get_id()) {
            pinned_.erase(std::prev(entered));
        }
    }

private:
    std::vector<int> cpus_;
    std::mutex mutex_;
    std::multimap<std::thread::id, PinnedThread> pinned_;
};

} // namespace tutti::v0_1
