#pragma once

#include "shares.hpp"
#include "tasks/src/contribution.hpp"

#include <tutti/executor.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

namespace tutti::tasks {

class Slices;

/// The end of a task.
class Completion {
public:
    /// Called before an executor gets the slices of the task, with the slices that a waiting thread may run.
    virtual void shared_out(std::shared_ptr<Slices> slices) noexcept = 0;
    /// Called once, by the thread that finishes: with the exception thrown, or null.
    virtual void finished(std::exception_ptr failure) noexcept = 0;

protected:
    Completion() = default;
    Completion(const Completion&) = default;
    Completion& operator=(const Completion&) = default;
    Completion(Completion&&) = default;
    Completion& operator=(Completion&&) = default;
    ~Completion() = default;
};

/// The slices of a task. An executor may keep them longer than the task lasts.
class Slices {
public:
    Slices(Task task, std::size_t count, std::shared_ptr<Completion> completion)
        : task_(std::move(task)), completion_(std::move(completion)), shares_(count, count + 1) {}

    /// One of them, unless somebody has begun it.
    void run(std::size_t index) noexcept;

    /// All that nobody has begun. An executor mostly begins with the first, and a helping thread with the
    /// last.
    void run_unbegun() noexcept {
        for (std::size_t index = shares_.count(); index-- > 0;) {
            run(index);
        }
    }

    /// The executor has been called and will not be again.
    void handed_out() noexcept { finish_one(); }

    /// It has thrown instead: slices that have not begun never will.
    void not_handed_out(std::exception_ptr failure) noexcept;

private:
    void fail(std::exception_ptr failure);
    void finish_one();

    Task task_;
    std::shared_ptr<Completion> completion_;
    Shares shares_;
    std::atomic_flag has_failed_;
    std::exception_ptr failure_;
};

/// The slices, unless the program gives a size: the least bytes of a slice, which takes longer than to hand
/// it out, and the most slices for each CPU of the process, so that threads that come late have some left to
/// do. With more of them, for vectors of 1 MiB, a pool of two threads takes 5 % longer and more.
inline constexpr std::size_t least_slice_bytes = std::size_t{256} << 10U;
inline constexpr std::size_t slices_per_cpu = 8;

/// Carries out a task: at once, or, if there is an executor and enough to do, in slices of about
/// `slice_bytes` that it runs; 0: of the usual ones, if that pays on this machine. The executor must last
/// until the completion.
void execute(Task task, const Executor& executor, std::size_t slice_bytes,
             const std::shared_ptr<Completion>& completion) noexcept;

} // namespace tutti::tasks
