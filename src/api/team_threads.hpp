#pragma once

#include "api/nesting.hpp"
#include "api/placement.hpp"
#include "atomic.hpp"
#include "cache_line.hpp"
#include "group/group_state.hpp"
#include "immovable.hpp"
#include "machine/pinning.hpp"
#include "mailbox/event_count.hpp"
#include "mailbox/wait.hpp"

#include <tutti/detail/member_function.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE {
struct TeamOptions;
}

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// The threads and their next run.
class TeamThreads : Immovable {
public:
    /// For so many members, 0 for one per allowed CPU. Without threads yet.
    TeamThreads(int members, const TeamOptions& options);
    ~TeamThreads();

    /// Starts the threads that are not there, at first all of them, and returns when they are pinned. Throws
    /// Error when the system does not give so many.
    void start_missing();

    /// Whether the threads can be waited for: not in a child of the process that has them, and not by one of
    /// them.
    bool can_end() const;

    int size() const noexcept { return group_->size(); }
    bool caller_is_member() const { return caller_is_member_; }
    const std::vector<machine::PinResult>& pins() const { return pins_; }
    /// Whether another team of the process uses the CPU.
    bool shares(int cpu) const { return cpus_.is_shared(cpu); }
    const std::string& tuning() const { return group_->config().tuning; }
    std::string waits() const { return group_->text_of_waits(); }
    const GroupState& state() const { return *group_; }
    void set_timeout(Timeout timeout) { group_->set_timeout(timeout); }
    std::string roll_call(RollCallFormat format) const { return group_->diagnosis().roll_call(format); }
    std::string trace(TraceFormat format) const { return group_->trace(format); }
    Statistics statistics() const { return group_->statistics(); }

    /// See Team::run.
    void run(const MemberFunction& function);

private:
    class RunOfThread;
    class OthersEnd;

    /// The ranks from here on have threads of the team's own.
    int first_own() const { return caller_is_member_ ? 1 : 0; }
    bool is_elsewhere() const;

    void serve(int rank, std::uint64_t served);
    void play(int rank, const MemberFunction& function);
    void finish();
    void await_all();
    void tell_still_running() noexcept;
    void report();
    void recover();
    std::exception_ptr cause_of(const std::exception_ptr& failure) const;

    HeldCpus cpus_;
    std::shared_ptr<GroupState> group_;
    bool caller_is_member_;
    mailbox::WaitPolicy wait_policy_;
    /// The waits of the caller.
    mailbox::WaitHistory wait_history_;
    std::uint64_t process_;
    std::vector<machine::PinResult> pins_;
    std::vector<std::exception_ptr> thrown_;
    detail::Turns turns_;

    /// The function and options of the current run; ordered by started_.
    const MemberFunction* function_ = nullptr;
    const detail::Run* run_ = nullptr;

    /// How often the threads have been woken for something new.
    alignas(line_bytes) Atomic<std::uint64_t> started_{0};
    std::atomic<bool> stopping_{false};
    mailbox::SureEventCount start_event_;
    /// Threads that have yet to finish.
    alignas(line_bytes) Atomic<std::int64_t> running_{0};
    mailbox::SureEventCount end_event_;

    /// The threads that have ended before their time; ordered by running_.
    std::vector<char> ended_;
    std::atomic<int> missing_{0};
    std::vector<std::thread> threads_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::detail
