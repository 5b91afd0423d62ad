#pragma once

#include "immovable.hpp"
#include "intrusive_queue.hpp"
#include "mailbox/wait.hpp"
#include "wait/wait_timer.hpp"

#include <exception>
#include <functional>
#include <optional>

namespace tutti::library {

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
    /// The nonblocking and persistent calls of a member so far: how many, and digests, which are equal if
    /// members have made the same calls; and a sum over all starts of persistent ones, which come in any
    /// order.
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

/// The outstanding operations of the calling thread, of whichever members: all of them progress while the
/// thread waits for any of them, or in a call that blocks. Trivial, so that a thread has it without a
/// constructor.
class ThreadProgress {
public:
    static ThreadProgress& here() noexcept { return current; }
    /// A number that no other thread of the process has or has had, unlike the address of this.
    std::uint64_t id() noexcept { return id_ != 0 ? id_ : give_id(); }

    /// A member that has outstanding operations.
    void add(Outstanding& member) noexcept;
    void remove(Outstanding& member) noexcept;
    bool is_empty() const { return members_.is_empty(); }
    /// Whether something gets on only if the thread looks.
    bool needs_looks() const;
    /// Whether there is nothing of other members, and nothing to be called.
    TUTTI_COMPONENT_API bool has_only(const Outstanding& member) const;

    /// Notes the failure that has ended operations of a member: the wait that is under way throws it if
    /// nothing is left that could end that wait otherwise.
    void note_failure(const std::exception_ptr& failure) noexcept {
        if (wait_ != nullptr) {
            wait_->failure = failure;
        }
    }

    /// As long as it exists, the thread calls a function that waited for an operation of the member.
    class Calling : Immovable {
    public:
        explicit Calling(Outstanding* member)
            : member_(member), outer_(std::exchange(here().calling_, this)) {}
        ~Calling() { here().calling_ = outer_; }
        /// Null if the member has left: the function may have destroyed it.
        Outstanding* member() const { return member_; }

    private:
        friend class ThreadProgress;
        Outstanding* member_;
        Calling* outer_;
    };
    /// The member leaves. Returns whether no wait of the thread uses it any more: one does if an operator,
    /// which runs while the thread waits, destroys the member.
    bool forget(const Outstanding& member) noexcept;

    /// One look at everything.
    TUTTI_COMPONENT_API void progress();
    /// Ends operations that can no longer be waited for; arguments as of a member.
    TUTTI_COMPONENT_API void look_after(bool takes_long, const OutstandingCall* awaited = nullptr);
    /// Makes everything progress until ready(), which only the end of the operation of `awaited` makes true
    /// if that is not null, or until `end` of clock_now(). If nothing is left that could make it true, throws
    /// the exception that has ended an operation meanwhile, or else Error. Calls continuations: afterwards
    /// the calling function may use nothing that these can destroy.
    void progress_until(const std::function<bool()>& ready, const char* function = "progress_until",
                        const Watch* awaited = nullptr, std::chrono::nanoseconds end = no_end);

    /// The continuations of operations that are over. The thread calls them in progress_until(), and as the
    /// last act of a test and of a blocking call that has waited, but not while another call is under way.
    void add_continuation(Continued& operation) noexcept { ready_.push(operation); }
    /// Returns whether it was one of this thread.
    bool remove_continuation(Continued& operation) noexcept { return ready_.remove(operation); }
    const mailbox::WaitHistory& wait_history() const { return wait_history_; }
    bool has_continuations() const { return !ready_.is_empty() && !holds(); }
    bool holds() const { return holds_continuations_; }
    /// Whether nothing is called from now on. Returns whether that was so before.
    bool hold(bool holds) noexcept { return std::exchange(holds_continuations_, holds); }
    /// As long as it exists, nothing is called: for an operator, and for a call that consists of several
    /// calls. An operator may make another call of this kind meanwhile, whose end must not end the hold of
    /// the outer call.
    class Hold : Immovable {
    public:
        explicit Hold(ThreadProgress& thread) : thread_(thread), before_(thread.hold(true)) {}
        ~Hold() { thread_.hold(before_); }

    private:
        ThreadProgress& thread_;
        bool before_;
    };
    /// Gives other threads the CPU, unless that has lately taken long.
    void yield() noexcept;
    /// The calling function may use nothing afterwards that these can destroy.
    TUTTI_COMPONENT_API void call_continuations();

    /// The operation for which the thread waits, however long that takes; or null.
    const OutstandingCall* awaited() const {
        return wait_ != nullptr && wait_->awaited != nullptr ? wait_->awaited->operation() : nullptr;
    }

    /// Whether a wait that is recorded is under way.
    bool waits() const { return waits_; }
    void waits(bool waits) { waits_ = waits; }

private:
    /// A progress_until() that is under way. A continuation may begin another one inside it.
    class Wait : Immovable {
    public:
        Wait(ThreadProgress& thread, const Watch* its_awaited)
            : awaited(its_awaited), thread_(thread), outer_(std::exchange(thread.wait_, this)) {}
        ~Wait() {
            if (outer_ != nullptr && outer_->failure == nullptr) {
                outer_->failure = failure;
            }
            thread_.wait_ = outer_;
        }

        const Wait* outer() const { return outer_; }

        const Watch* awaited;
        std::exception_ptr failure;
        /// The member at whose event the thread waits, null while it does something else.
        const Outstanding* waits_at = nullptr;

    private:
        ThreadProgress& thread_;
        Wait* outer_;
    };

    std::uint64_t give_id() noexcept;
    template <class Look>
    void look_at_all(Look look);

    /// With the compiler's model of thread-local variables. With "initial-exec" the shared library would need
    /// static memory of every thread: musl then refuses to load it late, and glibc has little for such
    /// libraries. A shared library so finds it by a call; only a blocking call that has to wait does that.
    TUTTI_COMPONENT_API static thread_local constinit ThreadProgress current;

    IntrusiveQueue<Outstanding> members_;
    std::size_t member_count_ = 0;
    IntrusiveQueue<Continued> ready_;
    std::uint64_t id_ = 0;
    /// The innermost ones, or null.
    Wait* wait_ = nullptr;
    Calling* calling_ = nullptr;
    bool waits_ = false;
    bool holds_continuations_ = false;
    LongTurns turns_;
    mailbox::WaitHistory wait_history_;
};

/// The event count of one member, for a thread that waits for other members as well: it never sleeps for
/// long, and not at all where something gets on only if the thread looks.
class PolledEventCount {
public:
    PolledEventCount(mailbox::EventCount& event, ThreadProgress& thread) : event_(event), thread_(thread) {}

    template <class Ready>
    void sleep(Ready&& ready, std::int64_t bound_ns) {
        if (thread_.needs_looks()) {
            thread_.yield();
        } else {
            event_.sleep(std::forward<Ready>(ready), std::min(bound_ns, most_ns));
        }
    }

private:
    static constexpr std::int64_t most_ns = 100'000;
    mailbox::EventCount& event_;
    ThreadProgress& thread_;
};

} // namespace tutti::library
