#pragma once

#include "diagnose/roll_call.hpp"
#include "group/shared_memory.hpp"
#include "mailbox/wait.hpp"
#include "tasks/src/deferred_collective.hpp"
#include "wait/failure.hpp"

#include <tutti/async_group.hpp>

#include <string>

namespace tutti::v0_1::detail {

/// The state of an AsyncGroup. Lasts until its last operation is over and its last request is gone as well.
///
/// Operations are a list, along which each rank goes from one arrival to the next.
class AsyncGroupState {
public:
    AsyncGroupState(int ranks, AsyncGroupOptions options);

    int ranks() const { return static_cast<int>(ranks_.size()); }
    const AsyncGroupOptions& options() const { return options_; }
    /// The process that has made it.
    const library::OwnProcess& process() const { return process_; }
    /// The CPUs that the executor may have.
    int cpus() const { return cpus_; }
    /// The policy of waiting threads, of which there may be one for each rank.
    const mailbox::WaitPolicy& wait_policy() const { return wait_policy_; }

    RequestBase& arrive(int rank, const Call& call);
    /// No rank will arrive any more: operations that wait for some fail. Destroys this, now or with the last
    /// request.
    void close() noexcept;
    /// A request of `rank` is gone.
    void release(int rank) noexcept {
        if (ranks_[static_cast<std::size_t>(rank)].released.up() == 0) {
            let_go();
        }
    }
    /// For a user that has no request: it lasts until let_go().
    void hold() noexcept { holds_.add(1); }
    void let_go() noexcept;
    /// The error of `rank`, which has waited too long for others in the `number`-th operation. By any thread.
    TimeoutError delay(std::uint64_t number, int rank, std::chrono::milliseconds timeout,
                       const tasks::Contribution& contribution) const;
    /// Reports that `rank` has released its request too early, the first time.
    void report_dropped(std::uint64_t number, int rank, const tasks::Contribution& contribution) noexcept;
    /// The calling thread waits slowly for `rank` in the `number`-th operation. Several may, of which one is
    /// shown.
    void show_wait(int rank, std::uint64_t number, std::chrono::nanoseconds since) noexcept;
    library::ShownWait& shown_wait(int rank) { return ranks_[static_cast<std::size_t>(rank)].wait; }
    mailbox::Waiter waiter(int rank) {
        return {ranks_[static_cast<std::size_t>(rank)].wait_history, last_cpus_.of(rank)};
    }
    /// See AsyncGroup::roll_call. By any thread.
    std::string roll_call(RollCallFormat format) const;

private:
    /// The last operation at which a rank has arrived, and the calls that it shows, for others to read at any
    /// time.
    struct alignas(paired_lines_bytes) RankState {
        tasks::DeferredCollective* at = nullptr;
        /// The operations that it has opened, for more of them; which are tried next.
        std::vector<std::unique_ptr<tasks::DeferredCollective>> kept;
        std::size_t turn = 0;
        std::size_t turn_of_few = 0;
        library::CallCache<std::unique_ptr<tasks::Contribution>> checked;
        CalledFrom called_from;
        library::ShownCalls<library::ArrivalLog> calls;
        library::ShownWait wait;
        mailbox::WaitHistory wait_history;
        std::atomic<int> waiter{0};
        /// The requests that are gone; at the end, less those that there were.
        tasks::StdCount released;
    };

    void take(tasks::Contribution& contribution, int rank, const Call& call);

    library::RollCall snapshot() const;
    tasks::DeferredCollective& after(tasks::DeferredCollective& operation, RankState& state);
    tasks::DeferredCollective& unused(RankState& state);

    AsyncGroupOptions options_;
    std::chrono::milliseconds timeout_;
    int cpus_;
    mailbox::WaitPolicy wait_policy_;
    std::vector<RankState> ranks_;
    mailbox::LastCpus last_cpus_;
    std::atomic_flag has_warned_; // relaxed: chooses the thread that reports, and orders nothing

    const library::OwnProcess process_;
    /// The AsyncGroup, each rank that has requests, and each caller of hold().
    tasks::StdCount holds_;
    /// Stands for the time before the first operation.
    tasks::DeferredCollective none_;
    /// The last member: it refers to the others.
    library::RollCallListed listed_;
};

} // namespace tutti::v0_1::detail
