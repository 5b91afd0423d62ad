#pragma once

#include <tutti/detail/request_base.hpp>
#include <tutti/executor.hpp>
#include <tutti/placement.hpp>
#include <tutti/request.hpp>

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

// Collectives among tasks of oneTBB: the component `tbb`, for programs that link oneTBB themselves. Who says
// `using namespace tutti` calls theirs `oneapi::tbb`.

namespace tutti::tbb {

/// Has the threads of an arena share in the work of large operations, for a Rendezvous or the functions of
/// tutti/one_caller.hpp. Returns before they have. The arena must last as long as the executor is used.
inline Executor executor(::tbb::task_arena& arena) {
    return [&arena](std::size_t count, const std::function<void(std::size_t)>& task) {
        arena.enqueue(
            [count, task] { ::tbb::parallel_for(std::size_t{0}, count, task, ::tbb::simple_partitioner()); });
    };
}

namespace detail {

/// A suspended task, as an Awaiter lets it go on.
struct Suspended {
    ::tbb::task::suspend_point point;

    void resume() const { ::tbb::task::resume(point); }
};

} // namespace detail

/// Suspends the calling task until the operation of a Rendezvous is over. Its thread runs other tasks
/// meanwhile, so that any number of tasks may wait on a few threads; the task may go on on another one.
/// Throws what Request::wait() would.
///
/// Somebody must arrive for the ranks that are missing: other tasks, or, where all that there are wait, a
/// thread outside the arena. A request takes one function, coroutine or task.
///
/// Throws Error for a request of Member::start or Member::prepare, which only their thread may use, and
/// within a function that Request::then() has been given, or what that runs. As with any task that is
/// suspended: not within a catch clause, nor with a lock held.
inline void wait(const Request& request) {
    ::tutti::detail::Awaiter awaited(request.operator co_await());
    awaited.require_movable_waiter();
    if (!awaited.await_ready()) {
        std::exception_ptr refused;
        ::tbb::task::suspend([&](::tbb::task::suspend_point point) {
            try {
                awaited.await_suspend(detail::Suspended{point});
            } catch (...) { // which must not leave this stack
                refused = std::current_exception();
                ::tbb::task::resume(point);
            }
        });
        if (refused != nullptr) {
            std::rethrow_exception(refused);
        }
    }
    awaited.await_resume();
}

/// Pins the threads that enter an arena, as a Team of so many pins its own (TeamOptions::placement), and
/// gives them back what they had when they leave, or when this ends. Those that the system does not let be
/// pinned stay as they are.
class Pinning final : public ::tbb::task_scheduler_observer {
public:
    /// Throws ArgumentError where a team would.
    explicit Pinning(::tbb::task_arena& arena, const std::string& placement = "compact")
        : ::tbb::task_scheduler_observer(arena),
          cpus_(cpus_of_placement(placement, arena.max_concurrency())) {
        observe(true);
    }
    ~Pinning() override { observe(false); }
    Pinning(const Pinning&) = delete;
    Pinning& operator=(const Pinning&) = delete;
    Pinning(Pinning&&) = delete;
    Pinning& operator=(Pinning&&) = delete;

    /// oneTBB calls it, in a thread that comes.
    void on_scheduler_entry(bool /*is_worker*/) override {
        const auto slot = static_cast<std::size_t>(::tbb::this_task_arena::current_thread_index());
        try {
            const std::lock_guard lock(mutex_);
            pinned_.emplace(std::this_thread::get_id(), cpus_[slot % cpus_.size()]);
        } catch (...) { // there is no memory: it stays unpinned
        }
    }

    /// oneTBB calls it, in a thread that goes.
    void on_scheduler_exit(bool /*is_worker*/) override {
        const std::lock_guard lock(mutex_);
        // A thread may be in an arena twice, and leaves it in the reverse order.
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

} // namespace tutti::tbb
