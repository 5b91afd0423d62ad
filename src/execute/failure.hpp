#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <string>

namespace tutti::execute {

/// The first failure of any member of a group: what releases all the others.
class Failure {
public:
    /// Acquire: pairs with the release in raise().
    bool raised() const noexcept { return raised_.load(std::memory_order_acquire); }

    /// Records that `member` failed with `cause`, null when its thread is being ended; only the first one
    /// counts. Returns whether this was it.
    bool raise(int member, std::exception_ptr cause);

    /// Throws Aborted with the text of the first failure.
    [[noreturn]] void throw_aborted() const;

    /// The first failure, or null.
    std::exception_ptr first() const;

    /// Forgets it. Only while no member is in a call.
    void clear();

private:
    mutable std::mutex mutex_;
    std::exception_ptr first_;
    std::string text_;
    std::atomic<bool> raised_{false};
};

/// What an exception says, whatever its type; null is that of a thread that is being ended.
std::string text_of(const std::exception_ptr& cause);

/// Makes every thread of the process pass a full memory barrier, so that the members need none on the path of
/// a call that goes well.
void order_all_threads() noexcept;

} // namespace tutti::execute
