#pragma once

#include "mailbox/cell.hpp"

#include <tutti/detail/export.hpp>
#include <tutti/error.hpp>

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace tutti::engine {

/// The first failure of any member of a group, which releases all the others. Memory may have run out, so
/// neither recording a failure nor throwing Aborted allocates any.
class Failure {
public:
    TUTTI_COMPONENT_API Failure();

    /// From now on texts, the hook and ErrorContext::peer count this group's members from `first` on, because
    /// it is part of a larger whole, and those of the group that it was made of from `first_of_whole` on.
    /// Before any failure.
    void count_from(int first, int first_of_whole) noexcept {
        first_ = first;
        first_of_whole_ = first_of_whole;
    }

    /// Acquire: pairs with the release in raise().
    bool raised() const noexcept { return raised_.observe() != 0; }
    /// Not 0 while it is raised; for a mailbox to look at.
    const mailbox::StdWord& word() const noexcept { return raised_; }

    /// Before raise(): calls set_failure_hook()'s function with the failure, once until clear(). If another
    /// member does so at the moment, waits until that has raised its failure.
    TUTTI_COMPONENT_API void report(int member, const std::exception_ptr& cause) noexcept;

    /// Records that `member` failed with `cause`, null when its thread is being ended; only the first failure
    /// counts. `whose` names the group of the member, if it is not the one that fails; then only the text of
    /// its exception is kept, so that the exception ends with the group in which it was thrown. After a
    /// mismatch the others get the first line, because the member that has thrown it has the rest. `peer` is
    /// its ErrorContext::peer among the ranks of this group; by default the two have the same ranks.
    TUTTI_COMPONENT_API void raise(int member, const std::exception_ptr& cause, const char* whose = "",
                                   std::optional<int> peer = std::nullopt) noexcept;

    /// Throws Aborted, or TimeoutError if that was the first failure, with the text of that failure, or of
    /// the one forgotten last; cut if there is no memory for all of it.
    [[noreturn]] TUTTI_COMPONENT_API void throw_aborted() const;

    /// Whether the calling member is the first to find out why the group fails, and has to report it at
    /// length. Then its failure must be raised.
    bool claim_report() noexcept { return !report_is_claimed_.test_and_set(std::memory_order_relaxed); }

    /// "member 2 failed: ...", the first line of the failure's text, or of the one forgotten last; empty if
    /// there was none, or no memory.
    std::string text() const;

    /// The first failure. Null if there was none, it was another group's, or only texts are kept: unless
    /// keep_first() was called, an exception ends on the thread that has thrown it.
    TUTTI_COMPONENT_API std::exception_ptr first() const noexcept;

    /// From now on first() is used, by a caller that knows when members have done with what they have thrown.
    void keep_first() noexcept { keeps_first_ = true; }

    /// Forgets it. Only while no member is in a call.
    void clear() noexcept;

private:
    mutable std::mutex mutex_;
    /// Relaxed: the member that claims it publishes the rest by raise().
    std::atomic_flag report_is_claimed_;
    /// Relaxed: the member that sets it reports the failure, and then raises it.
    std::atomic_flag is_reported_;
    std::exception_ptr cause_;
    std::string text_;
    bool keeps_first_ = false;
    bool is_timeout_ = false;
    int first_ = 0;
    int first_of_whole_ = 0;
    /// ErrorContext::peer of those that are released.
    int peer_ = -1;
    /// For lack of memory: the text as far as it goes, and the source of copies of Aborted.
    std::array<char, 256> brief_{};
    Aborted untold_ = untold();
    static Aborted untold() {
        Aborted made("released because another member failed");
        return made;
    }
    mailbox::StdWord raised_;
};

/// Stands for the end of a member's thread by the system, which is no C++ exception. Made while there is
/// memory.
const std::exception_ptr& thread_end();

/// Stands for an exception that ended a member's part and that nobody has seen. Made while there is memory.
TUTTI_COMPONENT_API const std::exception_ptr& unseen_exception();

/// ErrorContext::peer of an exception, -1 if it has none.
int peer_of(const std::exception_ptr& error) noexcept;

/// Whether an exception is an E; null, a thread that is being ended, is none.
template <class E>
bool holds(const std::exception_ptr& exception) noexcept {
    if (exception == nullptr) {
        return false;
    }
    try {
        std::rethrow_exception(exception);
    } catch (const E&) {
        return true;
    } catch (...) {
        return false;
    }
}

/// Writes the text of an exception of any type into memory that is there; null is a thread that is being
/// ended. The text is cut to fit and ends with 0.
TUTTI_COMPONENT_API void copy_text(const std::exception_ptr& cause, std::span<char> to) noexcept;

/// Makes every thread of the process pass a full memory barrier, so that the members need none on the path of
/// a call that goes well.
TUTTI_COMPONENT_API void order_all_threads() noexcept;

} // namespace tutti::engine
