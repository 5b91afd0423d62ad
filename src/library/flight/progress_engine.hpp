#pragma once

#include "call/call_signature.hpp"
#include "call/known_call.hpp"
#include "call/prepared_call.hpp"
#include "group/shared_memory.hpp"
#include "immovable.hpp"
#include "mailbox/mailbox.hpp"
#include "record/recorder.hpp"
#include "run/bindings.hpp"
#include "run/cursor.hpp"
#include "run/runner.hpp"
#include "wait/thread_progress.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/detail/request_base.hpp>
#include <tutti/error.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace tutti::v0_1::detail {
class GroupState;
class Seat;
} // namespace tutti::v0_1::detail

namespace tutti::library {

/// The part of an operation that must happen before it begins, for a caller of flight/ whose operations
/// consist of more than the actions of one group's members. Called by the member's thread, or by one that
/// acts for it while it waits. When it runs, it may touch the vectors of others as an operation may.
class Gate : Immovable {
public:
    virtual ~Gate() = default;

    /// Throws ArgumentError unless the vectors of `other` can replace those that the operation was prepared
    /// with.
    virtual void require_like(const detail::Call& other) const = 0;
    /// It is then made on these.
    virtual void bind(const void* input, void* output) = 0;
    /// The operation has been started.
    virtual void start() noexcept = 0;
    /// Looks, and makes progress. The operation begins when this has returned true. Throws the exception that
    /// ends it.
    virtual bool is_open() = 0;
    /// Whether it is opened by looking alone, so that nobody notifies a thread that sleeps.
    virtual bool needs_looks() const = 0;
    /// The operation is complete.
    virtual void complete() noexcept = 0;
    /// The operation ends with that. If `is_first`, no other operation of the member has ended with it.
    virtual void fail(const std::exception_ptr& cause, bool is_first) noexcept = 0;
    /// Nobody refers to the operation any more.
    virtual void drop() noexcept = 0;
    /// The fields of errors of the operation.
    virtual ErrorContext context() const = 0;
};

class ProgressEngine;

/// One operation that a member has outstanding, or can start again: a call that is prepared, its addresses,
/// and a run of it on a channel. Touched by its member's thread only. Kept by the member's ProgressEngine for
/// the next call when nobody refers to it any more, or until nobody does, if that is gone before.
class OutstandingCall final : public detail::PersistentRequestBase, public Continued {
public:
    enum class State : std::uint8_t {
        idle,    ///< not started
        queued,  ///< behind an operation on the same channel
        running, ///< on its channel
        complete,
        failed
    };

    explicit OutstandingCall(ProgressEngine& home) : home_(&home) {}

    /// Whether it is prepared for calls that PreparedCall::serves() with these arguments.
    template <class... Asked>
    bool serves(const Asked&... asked) const {
        return call_.serves(asked...);
    }

    /// Null if it has none.
    const Gate* gate() const { return gate_; }
    bool is_over() const noexcept override { return state_ != State::queued && state_ != State::running; }
    bool test() override;
    void wait() override;
    bool wait_for(std::chrono::duration<double> time) override;
    void then(detail::Continuation function) override;
    void forget() noexcept override;
    void release() noexcept override;
    void start() override;
    void start(const detail::Call& call) override;
    /// An exception from it is a failure of the member.
    void call_continuation() override;

private:
    friend class ProgressEngine;

    using Runner = run::Runner<mailbox::ChannelMailbox>;

    /// Returns at the end of the operation or at `end` of clock_now(), and whether the operation is complete.
    bool wait_until(std::chrono::nanoseconds end);
    /// Returns true. Throws the exception that has ended it, if it has failed.
    bool has_completed() const {
        if (failure_ != nullptr) {
            std::rethrow_exception(failure_);
        }
        return true;
    }
    /// It is over, and in the queue of its thread, which calls the continuation, and disposes of the
    /// operation if nobody refers to it any more.
    void become_ready() noexcept;
    void no_longer_ready() noexcept;
    /// Nobody refers to it any more.
    void dispose() noexcept;

    /// Null when its member has left.
    ProgressEngine* home_;
    PreparedCall call_;
    /// Opened before it begins; null if there is none.
    Gate* gate_ = nullptr;
    /// When it was prepared: Explorations::decisions().
    std::uint64_t decisions_ = 0;
    run::Bindings bindings_;
    run::Memory input_copy_;
    KeptOperator operator_;
    /// The vectors of the next run.
    const void* input_ = nullptr;
    void* output_ = nullptr;

    State state_ = State::idle;
    /// A request or a persistent operation of the caller's refers to it.
    bool is_held_ = false;
    /// It exchanges words by kernels of the library: it touches nobody else's vectors and throws nothing.
    bool is_quiet_ = false;
    /// It waits for a peer that will not come, which is no error.
    bool is_excused_ = false;
    /// The sequence of the operation, nonblocking or persistent, and its number in it, from 1 on.
    Sequence sequence_ = Sequence::nonblocking;
    std::uint64_t number_ = 0;
    /// The part of its tags that identifies the calls started before it.
    std::uint64_t history_ = 0;
    const Channel* channel_ = nullptr;
    /// The cursor of the channel, or of the persistent operation itself.
    run::Cursor* cursor_ = nullptr;
    run::Cursor own_cursor_;
    std::optional<Runner> runner_;
    WaitTimer waited_{{}};
    FlightRecord flight_;
    /// How long a run may wait for others; empty: the group's timeout.
    Timeout timeout_;
    /// The call of the program that started or prepared it.
    detail::CalledFrom called_from_;
    std::exception_ptr failure_;
    /// The innermost test or wait that is under way, or null.
    Watch* watch_ = nullptr;

    detail::Continuation continuation_;
    /// It is over, and its thread has yet to call the continuation, or to dispose of it.
    bool is_ready_ = false;
};

/// The operations that one member has outstanding, and those that it has prepared: starts them, and makes
/// them progress. Touched by its member's thread only.
///
/// Nonblocking operations take the group's channels in turn. All members start the same operations, so they
/// take the same channel for each without communicating.
class ProgressEngine final : public Outstanding {
    friend class OutstandingCall;

public:
    /// The engine of a seat's member. Made on first use.
    TUTTI_COMPONENT_API static ProgressEngine& of(detail::Seat& seat);

    explicit ProgressEngine(detail::Seat& seat);
    ~ProgressEngine() override;

    /// Throws ArgumentError if an argument is wrong, of which nobody learns. With a gate, the vectors of
    /// the call are the gate's.
    TUTTI_COMPONENT_API OutstandingCall& start(const detail::Call& call, Gate* gate = nullptr);
    TUTTI_COMPONENT_API OutstandingCall& prepare(const detail::Call& call, Gate* gate = nullptr);
    /// Starts a persistent operation on the vectors that it has.
    void restart(OutstandingCall& operation);
    void restart(OutstandingCall& operation, const detail::Call& call);

    /// A look at everything that the thread has outstanding.
    void test();
    /// Returns when the operation that is watched is over, or at `end` of clock_now(). The member may have
    /// left then.
    void wait(Watch& watch, std::chrono::nanoseconds end);
    /// Whether the calling thread may wait for operations now.
    bool may_wait() const noexcept;
    /// Throws Error if another thread has outstanding operations of this member.
    void require_own_thread(const char* what) const;

    void progress() override;
    void look_after(bool takes_long, const OutstandingCall* awaited) override;
    mailbox::EventCount& event() const override;
    const mailbox::WaitPolicy& wait_policy() const override;
    mailbox::CpusInSight cpus() const override;
    bool has_open() const override { return !open_.empty(); }
    bool needs_looks() const override;
    const std::exception_ptr& failure() const override { return failure_; }
    bool end() noexcept override;
    Calls calls() const override { return calls_; }

    /// Records a failure of this member, which ends all that it has outstanding.
    void fail(const std::exception_ptr& cause) noexcept override;

private:
    /// How a member comes round to a channel.
    struct Turn {
        const Channel* channel = nullptr;
        run::Cursor cursor;
        bool is_taken = false;
        /// The number of the operation that takes it next.
        std::uint64_t next = 0;
    };

    /// `context` returns the fields that an error must have.
    template <class Context>
    void require_usable(const char* what, const Context& context);
    std::exception_ptr aborted(const ErrorContext& call) const;
    void require_progress(const char* what);
    /// Whether another thread, which may be gone, has outstanding operations or has yet to call
    /// continuations.
    bool is_on_another_thread() const noexcept {
        return (!open_.empty() || ready_ != 0) && thread_id_ != ThreadProgress::here().id();
    }
    void be_on_this_thread() noexcept {
        thread_ = &ThreadProgress::here();
        thread_id_ = thread_->id();
    }
    void look_after_now_and_then();

    Turn& turn_of(const OutstandingCall& operation) {
        return turns_[(operation.number_ - 1) % Channels::in_turn];
    }

    OutstandingCall& operation_for(const detail::Call& call, Gate* gate, Sequence sequence);
    OutstandingCall& found_or_prepared(const detail::Call& call);
    bool has_last_choice(const OutstandingCall& operation) const;
    void assign_channel(OutstandingCall& operation);
    OutstandingCall& unused();
    void prepare(OutstandingCall& operation, const detail::Call& call);
    void show(OutstandingCall& operation);
    void show_look() noexcept;
    /// Afterwards this may be gone.
    void recycle(OutstandingCall& operation) noexcept;
    void orphan_held() noexcept;

    void open(OutstandingCall& operation);
    void enlist(OutstandingCall& operation);
    bool has_turn(const OutstandingCall& operation);
    void begin(OutstandingCall& operation);
    void look_eagerly(OutstandingCall& operation);
    bool look(OutstandingCall& operation, int looks);
    bool advance(OutstandingCall& operation, int looks);
    bool run_further(OutstandingCall& operation, int looks);
    void remove(OutstandingCall& operation);
    void complete(OutstandingCall& operation);
    void finish(OutstandingCall& operation, OutstandingCall::State state) noexcept;
    template <class Go>
    void go_on(Go go);
    void wait_until(Watch& watch, std::chrono::nanoseconds end);
    void end_watches(OutstandingCall& operation) noexcept;
    void record(const Watch& wait, const OutstandingCall& operation) const noexcept;
    /// A wait that is recorded.
    class RecordedWait : tutti::Immovable {
    public:
        RecordedWait(const ProgressEngine& member, Watch& watch);
        ~RecordedWait();

    private:
        const ProgressEngine& member_;
        const Watch& watch_;
    };
    /// Only if the group records its members' calls.
    Recorded recorded(const OutstandingCall& operation) const;
    /// The context of errors of an operation; and of all outstanding ones, of which the oldest is named.
    ErrorContext context_of(const detail::Call& call) const;
    ErrorContext context_of(const OutstandingCall& operation) const;
    ErrorContext context_of_oldest() const;

    detail::Seat& seat_;
    detail::GroupState& group_;
    int rank_;
    Channels& channels_;
    std::array<Turn, Channels::in_turn> turns_;
    /// In the order in which they were started.
    std::vector<OutstandingCall*> open_;
    /// The operations that are over and whose continuations have yet to be called.
    std::size_t ready_ = 0;
    /// The thread that has those in flight and these in its queue. Only that thread may look at what it
    /// points to: it may be gone, and another one be in its place, but never under its number.
    ThreadProgress* thread_ = nullptr;
    std::uint64_t thread_id_ = 0;
    /// Null if nothing is recorded.
    const Recorder* recorder_;
    std::exception_ptr failure_;
    /// They are being looked at. An operator that runs meanwhile may wait for operations of other members.
    bool are_looked_at_ = false;
    std::chrono::nanoseconds looked_after_{0};

    Calls calls_;
    std::uint64_t shown_look_ = 0;
    /// See Starts::unseen.
    bool is_unseen_ = false;

    /// The operations that nobody refers to.
    CallCache<OutstandingCall*> free_;
    std::vector<std::unique_ptr<OutstandingCall>> all_;
};

} // namespace tutti::library
