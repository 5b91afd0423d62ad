#pragma once

#include "arrive/contribution.hpp"
#include "arrive/handover.hpp"
#include "arrive/slices.hpp"
#include "atomic.hpp"
#include "intrusive_queue.hpp"
#include "mailbox/event_count.hpp"

#include <tutti/detail/request_base.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace tutti {
inline namespace TUTTI_NAMESPACE {
namespace detail {
class AsyncGroupState;
} // namespace detail
} // namespace TUTTI_NAMESPACE
} // namespace tutti

namespace tutti::arrive {

class DeferredCollective;

/// A rank's part in an operation: what is behind its request. Any thread may use it, also several at a time,
/// but then() only one.
class Arrival final : public detail::RequestBase, public Queueable<Arrival> {
public:
    bool is_over() const noexcept override { return handover_.is_over(); }
    bool test() override;
    void wait() override;
    bool wait_for(std::chrono::duration<double> time) override;
    void then(detail::Continuation function) override;
    void forget() noexcept override;
    void release() noexcept override;

private:
    friend class DeferredCollective;
    friend class Ready;
    friend class tutti::detail::AsyncGroupState;

    /// Throws what has ended the operation, if it has failed.
    void check() const;
    /// Looks whether ranks have been missing for too long since the first look.
    void look_at_clock() noexcept;
    detail::Continuation claimed_function();

    DeferredCollective* home_ = nullptr;
    int rank_ = 0;
    /// How long who waits for it waits for ranks that have not arrived; 0: for ever.
    std::chrono::milliseconds timeout_{0};
    /// When it was tested first, by the coarse clock; 0 if it was not. Relaxed: a time, and nothing hangs on
    /// which of several threads was first.
    std::atomic<std::int64_t> tested_ns_{0};
    /// No request refers to it any more.
    std::atomic<bool> is_released_{false};
    Handover handover_;
    detail::Continuation function_;
    /// It has been given a function.
    bool takes_no_more_ = false;
};

/// One operation of an AsyncGroup, from the first arrival until nobody refers to it any more; then it serves
/// for another one. Each rank refers to the last one at which it has arrived, and each request to its own;
/// those to come are counted from the beginning.
class DeferredCollective final : public Completion {
public:
    explicit DeferredCollective(std::size_t ranks);

    /// Makes it the `number`-th one, with `references` to it.
    void open(std::shared_ptr<detail::AsyncGroupState> home, std::uint64_t number, std::size_t references);

    std::uint64_t number() const { return number_; }
    Contribution& contribution(int rank) { return contributions_[static_cast<std::size_t>(rank)]; }
    Arrival& arrival(int rank) { return arrivals_[static_cast<std::size_t>(rank)]; }

    /// The next one of the AsyncGroup, null where no rank has come to it.
    DeferredCollective* next() const {
        // Acquire: pairs with the release of who has opened that one.
        return next_.load(std::memory_order_acquire);
    }
    void set_next(DeferredCollective& next) { next_.store(&next, std::memory_order_release); }

    /// Says that a rank's contribution is there. The last one carries the operation out, unless that has been
    /// given up.
    void arrive() noexcept;
    /// Returns when it is over. Does meanwhile what an executor has not begun. `rank` waits for the others
    /// for so long, 0: for ever; then it gives the operation up for all. Returns at `end` of clock_now() at
    /// the latest, except from a slice.
    void wait(int rank, std::chrono::milliseconds timeout, std::chrono::nanoseconds end) noexcept;
    /// Gives it up where `rank` has waited for so long already, and not all have arrived.
    void give_up_if_late(int rank, std::chrono::nanoseconds waited,
                         std::chrono::milliseconds timeout) noexcept;
    /// Ends it with a failure, unless all ranks have arrived or it has been ended early before. By any
    /// thread.
    void end_early(std::exception_ptr failure) noexcept;
    void shared_out(std::shared_ptr<Slices> slices) noexcept override;
    void finished(std::exception_ptr failure) noexcept override;
    /// Nobody may refer to it who has not counted before.
    void drop(std::size_t references) noexcept;

    const std::exception_ptr& failure() const { return failure_; }

private:
    enum class Phase : std::uint32_t {
        gathering,
        shared_out, ///< there are slices
        over
    };

    bool execute_small() noexcept;
    void execute() noexcept;
    /// Fails it in a child of fork(), in which other ranks never arrive.
    void end_elsewhere() noexcept;
    void give_up(int rank, std::chrono::milliseconds timeout) noexcept;
    void drop_operators() noexcept;
    void end(std::exception_ptr failure) noexcept;
    void reach(Phase phase) noexcept;

    std::shared_ptr<detail::AsyncGroupState> home_;
    std::uint64_t number_ = 0;
    Atomic<DeferredCollective*> next_{nullptr};
    std::vector<Contribution> contributions_;
    std::vector<Arrival> arrivals_;
    alignas(line_bytes) StdCount arrived_;
    alignas(line_bytes) StdCount references_;
    /// For those that wait.
    Atomic<Phase> phase_{Phase::gathering};
    mailbox::SureEventCount event_;
    std::shared_ptr<Slices> slices_;
    std::exception_ptr failure_;

    friend class Ready;
};

} // namespace tutti::arrive
