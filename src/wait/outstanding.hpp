#pragma once

#include "immovable.hpp"
#include "intrusive_queue.hpp"
#include "mailbox/event_count.hpp"
#include "mailbox/wait.hpp"
#include "wait/sequence.hpp"

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace tutti::engine {

class OutstandingCall;

/// A test of an operation, or a wait for it. It learns how the operation ends when that ends, and does not
/// look at the operation later: a function that the thread calls meanwhile may have destroyed it.
class Watch : Immovable {
public:
    /// `innermost` is a field of the operation, which is not over.
    Watch(OutstandingCall& operation, Watch*& innermost) noexcept
        : operation_(&operation), innermost_(innermost), outer_(std::exchange(innermost, this)) {}
    ~Watch() {
        if (!is_over()) {
            innermost_ = outer_;
        }
    }

    bool is_over() const { return operation_ == nullptr; }
    /// Null if it is over.
    OutstandingCall* operation() const { return operation_; }
    /// Whether the operation is complete. Throws what has ended it, if it has failed.
    bool has_completed() const {
        if (failure_ != nullptr) {
            std::rethrow_exception(failure_);
        }
        return is_over();
    }

    /// The operation is over. Returns the Watch around this one.
    Watch* end(const std::exception_ptr& failure) noexcept {
        operation_ = nullptr;
        failure_ = failure;
        return outer_;
    }

    /// When the wait began, in ticks(); 0 if that is not recorded.
    std::uint64_t recorded_since = 0;

private:
    OutstandingCall* operation_;
    Watch*& innermost_;
    Watch* outer_;
    std::exception_ptr failure_;
};

/// A member's outstanding operations, as its seat and its thread see them. flight/ implements this interface;
/// waiting members need no more of flight/.
class Outstanding : public Queueable<Outstanding>, Immovable {
public:
    /// A digest of the nonblocking calls of a member. The digests of members that have made the same calls
    /// are equal.
    struct Calls {
        std::uint64_t started = 0;
        std::uint64_t history = 0;
        std::uint64_t persistent = 0;
        std::uint64_t persistent_history = 0;
        std::uint64_t restarts = 0;
    };

    virtual ~Outstanding() = default;

    /// Looks once at all operations of this member.
    virtual void progress() = 0;
    /// Ends all of them if one can no longer be waited for; `takes_long` as in check_stalled(). `awaited` is
    /// the operation before whose end the thread does nothing else, null if there is none.
    virtual void look_after(bool takes_long, const OutstandingCall* awaited) = 0;

    /// How to wait for other members of the group.
    virtual mailbox::EventCount& event() const = 0;
    virtual const mailbox::WaitPolicy& wait_policy() const = 0;
    virtual mailbox::CpusInSight cpus() const = 0;

    /// Whether an operation is not over.
    virtual bool has_open() const = 0;
    /// Whether some get on only if they are looked at, because nobody notifies event().
    virtual bool needs_looks() const = 0;

    /// The exception that has ended operations of this member, or null.
    virtual const std::exception_ptr& failure() const = 0;
    /// Records a failure of this member, which ends all its outstanding operations.
    virtual void fail(const std::exception_ptr& cause) noexcept = 0;

    /// Waits for all outstanding operations, and takes persistent ones out of use: the member leaves. False
    /// if another thread has some outstanding, which is a failure and leaves all as it is.
    virtual bool end() noexcept = 0;

    virtual Calls calls() const = 0;
};

/// The sequence in which two members have made different calls, if there is one. Null is a member that has
/// made none.
std::optional<Sequence> difference(const Outstanding* one, const Outstanding* other);

/// Something of which a thread calls a function once no call is under way.
class Continued : public Queueable<Continued>, Immovable {
public:
    virtual ~Continued() = default;

    /// Throws the function's exceptions.
    virtual void call_continuation() = 0;
};

} // namespace tutti::engine
