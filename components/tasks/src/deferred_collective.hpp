#pragma once

#include "intrusive_queue.hpp"
#include "mailbox/event_count.hpp"
#include "tasks/src/contribution.hpp"
#include "tasks/src/handover.hpp"

#include <tutti/detail/request_base.hpp>

#include <chrono>

namespace tutti::v0_1::detail {
class AsyncGroupState;
} // namespace tutti::v0_1::detail

namespace tutti::tasks {

class DeferredCollective;

/// A rank's part in an operation: the state of its request. Any thread may use it, also several at a time,
/// but then() only one.
class alignas(line_bytes) Arrival final : public detail::RequestBase, public Queueable<Arrival> {
public:
    bool is_over() const noexcept override { return handover_.is_over(); }
    bool test() override;
    void wait() override;
    bool wait_for(std::chrono::duration<double> time) override;
    void then(detail::Continuation function) override;
    void forget() noexcept override;
    void detach() noexcept override { takes_no_more_ = true; }
    void release() noexcept override;

private:
    friend class DeferredCollective;
    friend class Ready;

    /// Throws the exception that has ended the operation, if it has failed.
    void check() const;
    /// Looks whether ranks have been missing for too long since the first look.
    void look_at_clock() noexcept;
    detail::Continuation claimed_function();

    DeferredCollective* home_ = nullptr;
    int rank_ = 0;
    /// It has been given a function, or the program will not ask for the end.
    bool takes_no_more_ = false;
    /// How long its waiter waits for ranks that have not arrived; 0: for ever.
    std::chrono::milliseconds timeout_{0};
    /// When it was tested first, by the coarse clock; 0 if it was not. Relaxed: a time, and nothing hangs on
    /// which of several threads was first.
    std::atomic<std::int64_t> tested_ns_{0};
    /// No request refers to it any more; the rank has gone on to the next operation.
    StdMark released_;
    StdMark left_;
    detail::Continuation function_;
    Handover handover_;
};

/// One operation of an AsyncGroup, from the first arrival until nobody refers to it any more; then it serves
/// for another one. The rank that has opened it keeps it, and finds out when that is so.
///
/// If all ranks arrive and wait, each word that two threads change is changed once per operation: the count
/// of arrivals, and each rank's handover.
class DeferredCollective final : public Completion {
public:
    DeferredCollective(detail::AsyncGroupState& home, std::size_t ranks);

    /// Begins a new life as the operation of this number. \pre is_free()
    void open(std::uint64_t number) noexcept;
    /// Whether nobody refers to it, and nobody will.
    bool is_free() const noexcept;
    /// By the rank that keeps it and has opened it in vain: another rank has opened that operation.
    void never_mind(std::uint64_t before) noexcept { number_ = before; }

    std::uint64_t number() const { return number_; }
    Contribution& contribution(int rank) { return contributions_[static_cast<std::size_t>(rank)]; }

    /// The next one of the AsyncGroup, null if no rank has come to it.
    DeferredCollective* next() const {
        // Acquire: pairs with the release of the rank that has opened that one.
        return next_.load(std::memory_order_acquire);
    }
    /// Returns false if there is one already.
    bool set_next(DeferredCollective& next) {
        DeferredCollective* none = nullptr;
        return next_.compare_exchange(none, &next, std::memory_order_acq_rel);
    }

    /// Announces that a rank's contribution to the operation of this number is there. The last one carries
    /// the operation out, unless that has been given up.
    detail::RequestBase& arrive(int rank, std::uint64_t number, std::chrono::milliseconds timeout) noexcept;
    /// The rank has arrived at the next one. \pre it has arrived at this one
    void leave(int rank, std::uint64_t number) noexcept {
        arrivals_[static_cast<std::size_t>(rank)].left_.set(number);
    }
    /// Returns when it is over for `waiting`. Meanwhile runs the slices that an executor has not begun. The
    /// rank waits for the others as long as its arrival permits; then it gives the operation up for all.
    /// Returns at `end` of clock_now() at the latest, except from a slice.
    void wait(Arrival& waiting, std::chrono::nanoseconds end) noexcept;
    /// Gives it up if the rank has waited for so long already, and not all have arrived.
    void give_up_if_late(const Arrival& waiting, std::chrono::nanoseconds waited) noexcept;
    /// Ends it with a failure, unless all ranks have arrived or it has been ended early before. By any
    /// thread.
    void end_early(std::exception_ptr failure) noexcept;
    /// The same if no rank will bring an operator any more. \pre a rank has not arrived
    void close(std::exception_ptr failure) noexcept;
    void shared_out(std::shared_ptr<Slices> slices) noexcept override;
    void finished(std::exception_ptr failure) noexcept override;
    /// By a request that is no more.
    void release(Arrival& arrival) noexcept;

    const std::exception_ptr& failure() const { return failure_; }

private:
    bool execute_small() noexcept;
    void execute() noexcept;
    /// Fails it in a child of fork(), in which other ranks never arrive.
    void end_elsewhere() noexcept;
    void give_up(const Arrival& waiting) noexcept;
    void drop_operators() noexcept;
    void end(std::exception_ptr failure) noexcept;
    /// For a user that is not a waiting request: it and the AsyncGroup last until let_go().
    void hold() noexcept;
    void let_go() noexcept;

    detail::AsyncGroupState* home_;
    std::uint64_t number_ = 0;
    Atomic<DeferredCollective*> next_{nullptr};
    /// There are slices, of which waiting threads run some.
    Atomic<bool> is_shared_out_{false};
    StdCount holds_;
    std::exception_ptr failure_;
    std::shared_ptr<Slices> slices_;
    std::vector<Contribution> contributions_;
    std::vector<Arrival> arrivals_;
    /// For the threads that sleep, which their handovers record.
    mailbox::FutexCounter end_event_;
    alignas(line_bytes) StdCount arrived_;

    friend class Ready;
};

} // namespace tutti::tasks
