#pragma once

#include "api/placement.hpp"
#include "atomic.hpp"
#include "cache_line.hpp"
#include "group/group_state.hpp"
#include "machine/pinning.hpp"
#include "mailbox/event_count.hpp"
#include "mailbox/wait.hpp"

#include <tutti/detail/functions.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace tutti::v0_1 {
struct TeamOptions;
}

namespace tutti::v0_1::detail {

/// A run of a team, and the run one of whose members has called it. All runs further out last at least as
/// long as this one.
struct Run {
    const void* team;
    const Run* outer;
};

/// The innermost run in which the calling thread has a part; null outside of all.
const Run* current_run();

/// Gives the calling thread its part in a run while this lives.
class InRun : Immovable {
public:
    explicit InRun(const Run& run);
    ~InRun();

private:
    const Run* before_;
};

/// The turns of the threads that call one team.
class Turns {
public:
    /// Takes the next turn for the calling thread. Throws Error if that would never come: the thread has
    /// a part in a run of the same team, or the run that has the turn waits, through any number of teams,
    /// for the end of one in which the thread has a part.
    std::unique_lock<std::mutex> take(const void* team);

private:
    std::mutex turn_;
};

/// Whether the calling thread has a part in a run of `team`.
bool is_in_run_of(const void* team);

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
    GroupState& group() const { return *group_; }

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

    /// How long threads may go on after a failure before that is reported.
    static constexpr std::chrono::seconds before_telling{1};

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
    mailbox::SureEventCount end_event_{std::chrono::nanoseconds(before_telling).count()};

    /// The threads that have ended before their time; ordered by running_.
    std::vector<char> ended_;
    std::atomic<int> missing_{0};
    std::vector<std::thread> threads_;
};

} // namespace tutti::v0_1::detail
