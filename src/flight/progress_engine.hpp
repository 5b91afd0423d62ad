#pragma once

#include "call/call_cache.hpp"
#include "call/call_log.hpp"
#include "flight/outstanding_call.hpp"
#include "group/channels.hpp"
#include "immovable.hpp"
#include "run/cursor.hpp"
#include "wait/outstanding.hpp"
#include "wait/thread_progress.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/error.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::detail {
class GroupState;
class Seat;
} // namespace tutti::inline TUTTI_NAMESPACE::detail

namespace tutti::engine {

/// The operations that one member has outstanding, and those that it has prepared: starts them, and makes
/// them progress. Touched by its member's thread only.
///
/// Nonblocking operations take the group's channels in turn. All members start the same, so that each
/// operation
class ProgressEngine final : public Outstanding {
public:
    /// The engine of a seat's member. Made on first use.
    TUTTI_COMPONENT_API static ProgressEngine& of(detail::Seat& seat);

    explicit ProgressEngine(detail::Seat& seat);
    ~ProgressEngine() override;
    ProgressEngine(const ProgressEngine&) = delete;
    ProgressEngine& operator=(const ProgressEngine&) = delete;
    ProgressEngine(ProgressEngine&&) = delete;
    ProgressEngine& operator=(ProgressEngine&&) = delete;

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
    /// Drops the function to be called when the operation is over.
    void drop_continuation(OutstandingCall& operation) noexcept;
    /// The function to be called now, empty if none. The operation may then be that of another call.
    detail::Continuation taken_continuation(OutstandingCall& operation) noexcept;
    /// Throws Error if another thread has outstanding operations of this member.
    void require_own_thread(const char* what) const;
    /// No request refers to the operation any more. Calls what waits for it.
    void release(OutstandingCall& operation) noexcept;

    void progress() override;
    void look_after(bool takes_long, const OutstandingCall* awaited) override;
    mailbox::EventCount& event() const override;
    const mailbox::WaitPolicy& wait_policy() const override;
    mailbox::CpusInSight cpus() const override;
    bool has_open() const override { return !open_.empty(); }
    bool needs_looks() const override;
    const std::exception_ptr& failure() const override { return failure_; }
    bool end() noexcept override;
    Calls calls() const override {
        return {.started = started_,
                .history = history_,
                .persistent = persistent_,
                .persistent_history = persistent_history_,
                .restarts = restarts_};
    }

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
    void add_continuation(OutstandingCall& operation) noexcept;
    void release_ready(OutstandingCall& operation) noexcept;
    void no_longer_ready(OutstandingCall& operation) noexcept;
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
    void recycle(OutstandingCall& operation) noexcept;
    void orphan_held() noexcept;

    void open(OutstandingCall& operation);
    void open_gate(OutstandingCall& operation);
    void enlist(OutstandingCall& operation);
    [[noreturn]] void give_back_failed(OutstandingCall& operation);
    bool has_turn(const OutstandingCall& operation);
    bool may_begin(const OutstandingCall& operation);
    void begin(OutstandingCall& operation);
    void look_eagerly(OutstandingCall& operation);
    bool look(OutstandingCall& operation, int looks);
    bool advance(OutstandingCall& operation, int looks);
    bool run_further(OutstandingCall& operation, int looks);
    void remove(OutstandingCall& operation);
    void complete(OutstandingCall& operation);
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

    std::uint64_t started_ = 0;
    std::uint64_t persistent_ = 0;
    /// A digest of all nonblocking calls so far.
    std::uint64_t history_ = 0;
    /// The same for persistent calls, and a sum over all their starts, which come in any order.
    std::uint64_t persistent_history_ = 0;
    std::uint64_t restarts_ = 0;
    /// The digests of the calls that were shown last: nonblocking and persistent.
    std::array<std::uint64_t, 2> shown_digests_{};
    std::uint64_t shown_look_ = 0;

    /// The operations that nobody refers to.
    CallCache<OutstandingCall*> free_;
    std::vector<std::unique_ptr<OutstandingCall>> all_;
};

} // namespace tutti::engine
