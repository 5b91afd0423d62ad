#pragma once

#include "announce.hpp"
#include "immovable.hpp"
#include "machine/process.hpp"
#include "mailbox/mailbox.hpp"
#include "mailbox/slot.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>
#include <tutti/source_line.hpp>

#include <array>
#include <exception>
#include <mutex>
#include <optional>
#include <span>

namespace tutti::v0_1::detail {

/// Sets the fields of an error that nobody else has caught yet.
class ErrorAccess {
public:
    static ErrorContext& of(Error& error) noexcept { return error.context_; }
};

} // namespace tutti::v0_1::detail

namespace tutti::library {

/// The line of a call in a program, with a copy of the file's name. A SourceLine refers to the shared library
/// that has made the call, and the program may have unloaded it since.
class ShownLine {
public:
    ShownLine() = default;
    /// Unknown if the line is empty or its name is gone.
    TUTTI_COMPONENT_API ShownLine(const SourceLine& where); // NOLINT(google-explicit-constructor): the same

    bool is_known() const { return !file_.empty(); }
    const std::string& file() const { return file_; }
    unsigned line() const { return line_; }
    /// "solver.cpp:31"
    std::string text() const;

private:
    std::string file_;
    unsigned line_ = 0;
};

/// The process that has made a group. A child of fork() has a copy of the group without the threads of its
/// members, for which it would wait for ever.
class OwnProcess {
public:
    bool is_here() const { return machine::this_process() == process_; }

    /// Throws Error in a child. `what` is the object that the caller uses.
    void require(const char* what) const {
        if (!is_here()) {
            throw Error(
                std::string(what) +
                " was made by the parent of this process, which fork() has made without the threads of "
                "the other members: make another one in the child");
        }
    }

private:
    std::uint64_t process_ = machine::this_process();
};

/// A mutex of a group. In a child of fork(), which may lack the thread that holds it, lock() throws Error.
class GroupMutex : Immovable {
public:
    void lock() {
        process_.require("the group");
        mutex_.lock();
    }
    void unlock() { mutex_.unlock(); }
    bool is_usable() const { return process_.is_here(); }
    /// For a caller that knows that it is usable.
    std::mutex& unchecked() noexcept { return mutex_; }

private:
    OwnProcess process_;
    std::mutex mutex_;
};

/// Says which call an error has ended, for all fields but `peer`, unless it has come out of another call
/// before, such as one that an operator has made in another group. By the thread that has caught the error,
/// before another one may see it.
TUTTI_COMPONENT_API void describe(Error& error, const ErrorContext& call) noexcept;

/// The same of any exception. One that is no Error stays as it is; null is a thread that is being ended.
TUTTI_COMPONENT_API void describe(const std::exception_ptr& thrown, const ErrorContext& call) noexcept;

/// The line, or none if it is known to be empty: see ShownLine.
TUTTI_COMPONENT_API SourceLine line_for_errors(const SourceLine& where) noexcept;

/// The first failure of any member of a group, which releases all the others. Memory may have run out, so
/// neither recording a failure nor throwing Aborted allocates any.
class Failure {
public:
    TUTTI_COMPONENT_API Failure();

    /// From now on texts, the hook and the ranks of errors count this group's members from `first` on,
    /// because it is part of a larger whole, and those of the group that it was made of from `first_of_whole`
    /// on. Its calls are parts of calls of the whole, which describe() their errors. Before any failure.
    void count_from(int first, int first_of_whole) noexcept {
        is_part_ = true;
        first_ = first;
        first_of_whole_ = first_of_whole;
    }
    bool is_part() const noexcept { return is_part_; }
    /// The rank of a member in errors.
    int rank_of(int member) const noexcept { return first_ + member; }

    /// Acquire: pairs with the release in raise().
    bool raised() const noexcept { return raised_.observe() != 0; }
    /// Not 0 while it is raised; for a mailbox to look at.
    const mailbox::StdWord& word() const noexcept { return raised_; }

    /// Before raise(): calls set_failure_hook()'s function with the failure, once until clear(). If another
    /// member does so at the moment, waits until that has raised its failure, except in a child of fork().
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
    mutable GroupMutex mutex_;
    /// Relaxed: the member that claims it publishes the rest by raise().
    std::atomic_flag report_is_claimed_;
    /// Relaxed: the member that sets it reports the failure, and then raises it.
    std::atomic_flag is_reported_;
    std::exception_ptr cause_;
    std::string text_;
    bool keeps_first_ = false;
    bool is_timeout_ = false;
    bool is_part_ = false;
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

/// judge() of what exchange() has exchanged. If it throws, as it then does on every member, makes the
/// exchange again before: an exception that leaves a member's function releases all others, so all must have
/// seen it.
template <class Judge, class Exchange>
auto judged_by_all(Judge judge, Exchange exchange) {
    try {
        return judge();
    } catch (const Error&) {
        try {
            exchange();
        } catch (const Error&) { // thrown by another member, for the same reason
        }
        throw;
    }
}

/// Writes the text of an exception of any type into memory that is there; null is a thread that is being
/// ended. The text is cut to fit and ends with 0.
TUTTI_COMPONENT_API void copy_text(const std::exception_ptr& cause, std::span<char> to) noexcept;

/// Makes every thread of the process pass a full memory barrier, so that the members need none on the path of
/// a call that goes well.
TUTTI_COMPONENT_API void order_all_threads() noexcept;

/// Ends a call that has failed, of the member whose board is `own`: returns when none of `boards` has its
/// owner in a call any more, since the others may read and write the member's vectors until they have
/// noticed. A member that enters one shows that it is inside, and then looks whether there has been a
/// failure, in this order for the compiler. If that takes long, tell(rank) is called once, for the member
/// that is inside. \pre the failure has been recorded, and ends every wait of theirs.
template <class Boards, class Board, class Tell>
void leave_failed_call(const Boards& boards, Board& own, Tell tell) {
    // Release: pairs with the load below. Nobody else writes it.
    own.progress.publish(own.progress.get() & ~mailbox::inside_bit);
    // A member that enters from now on sees the failure, or is seen here to be inside.
    order_all_threads();
    constexpr std::int64_t between_looks_ns = 20'000;
    constexpr std::chrono::seconds before_telling{1};
    const std::chrono::nanoseconds began = clock_now();
    bool is_told = false;
    int rank = 0;
    for (const auto& other : boards) {
        // Acquire: pairs with the release of a member that leaves; its accesses come before what this one
        // does next.
        while ((other.progress.observe() & mailbox::inside_bit) != 0) {
            mailbox::nap(between_looks_ns);
            if (!is_told && clock_now() - began >= before_telling) {
                is_told = true;
                tell(rank);
            }
        }
        announce_acquire(&other.progress); // also of a 0: that of a member that has left the first operation
        ++rank;
    }
}

} // namespace tutti::library
