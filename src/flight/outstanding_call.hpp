#pragma once

#include "call/kept_operator.hpp"
#include "call/prepared_call.hpp"
#include "flight/gate.hpp"
#include "group/channels.hpp"
#include "mailbox/mailbox.hpp"
#include "record/recorder.hpp"
#include "run/bindings.hpp"
#include "run/cursor.hpp"
#include "run/memory.hpp"
#include "run/runner.hpp"
#include "wait/outstanding.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/request_base.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>

namespace tutti::engine {

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
    /// To the vectors and the operator of the next run.
    void bind(const void* input, void* output);
    /// Returns true. Throws the exception that has ended it, if it has failed.
    bool has_completed() const {
        if (failure_ != nullptr) {
            std::rethrow_exception(failure_);
        }
        return true;
    }
    /// Calls a function that waited for an operation of the member, null if there is none any more. The
    /// function may destroy the operation and the member.
    static void call(ProgressEngine* home, detail::Continuation function, const std::exception_ptr& failure);

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
    /// It is over, and its thread has yet to call the continuation.
    bool is_ready_ = false;
};

} // namespace tutti::engine
