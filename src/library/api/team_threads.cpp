#include "api/team_threads.hpp"

#include "choose/group_config.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "group/family.hpp"
#include "machine/process.hpp"
#include "report.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>
#include <tutti/team.hpp>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>

namespace tutti::v0_1::detail {

namespace {

/// The failure of a member whose thread is being ended: its stack is unwound without a C++ exception.
std::exception_ptr thread_ended(int rank) {
    return std::make_exception_ptr(Error("Team::run: member " + std::to_string(rank) +
                                             "'s thread was ended by pthread_exit() or pthread_cancel()",
                                         {.rank = rank}));
}

/// Whether another member's exception is more specific: this one has been released, or its group only knows
/// that a thread was ended, or that there was an exception.
bool tells_little(const std::exception_ptr& exception) {
    return exception == library::thread_end() || exception == library::unseen_exception() ||
           library::holds<Aborted>(exception);
}

} // namespace

/// A thread's part in a run, which may also end by the end of the thread.
class TeamThreads::RunOfThread : Immovable {
public:
    RunOfThread(TeamThreads& threads, int rank) : threads_(threads), rank_(rank) {}
    ~RunOfThread() {
        if (!complete_) {
            threads_.ended_[static_cast<std::size_t>(rank_)] = 1;
            threads_.missing_.fetch_add(1, std::memory_order_relaxed); // ordered by running_
        }
        threads_.finish();
    }

    void complete() { complete_ = true; }

private:
    TeamThreads& threads_;
    int rank_;
    bool complete_ = false;
};

/// Keeps a caller whose thread is ended until nobody uses its run any more.
class TeamThreads::OthersEnd : Immovable {
public:
    explicit OthersEnd(TeamThreads& threads) : threads_(threads) {}
    ~OthersEnd() {
        if (!threads_.is_elsewhere()) { // the caller's part may have forked
            threads_.await_all();
        }
    }

private:
    TeamThreads& threads_;
};

TeamThreads::TeamThreads(int members, const TeamOptions& options)
    : cpus_("Team", members, options.placement.text()),
      group_(std::make_shared<GroupState>(static_cast<int>(cpus_.by_member().size()),
                                          library::config_for(options.group, cpus_.by_member()),
                                          library::diagnosis_of)),
      caller_is_member_(options.caller_is_member),
      wait_policy_(library::wait_policy_between_runs(group_->config(), size(), caller_is_member_)),
      process_(machine::this_process()), pins_(cpus_.by_member().size()),
      thrown_(pins_.size()), // NOLINT(bugprone-throw-keyword-missing): nothing is to be thrown
      ended_(pins_.size()), threads_(pins_.size()) {
    group_->failure().keep_first();
    group_->diagnosis().list_for_roll_calls();
}

TeamThreads::~TeamThreads() {
    stopping_.store(true, std::memory_order_relaxed); // ordered by started_
    started_.fetch_add(1, std::memory_order_release); // release: pairs with serve()
    start_event_.notify_if_needed();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

void TeamThreads::start_missing() {
    std::string refusal;
    int there = 0;
    for (int rank = first_own(); rank < size() && refusal.empty(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        if (ended_[index] != 0) {
            threads_[index].join();
            ended_[index] = 0;
        }
        if (!threads_[index].joinable()) {
            try {
                threads_[index] = std::thread(
                    [this, rank, served = started_.load(std::memory_order_relaxed)] { serve(rank, served); });
                running_.fetch_add(1, std::memory_order_relaxed); // it may have finished before
            } catch (const std::system_error& error) {
                refusal = error.what();
                continue;
            }
        }
        ++there;
    }
    await_all();
    if (!refusal.empty()) {
        throw Error("Team: the system gives only " + std::to_string(there) + " of " +
                    std::to_string(size() - first_own()) + " threads: " + refusal);
    }
    missing_.store(0, std::memory_order_relaxed);
}

bool TeamThreads::is_elsewhere() const {
    return machine::this_process() != process_;
}

bool TeamThreads::can_end() const {
    return !is_elsewhere() && !is_in_run_of(this);
}

void TeamThreads::run(const MemberFunction& function) {
    if (!function) {
        throw ArgumentError("Team::run: function is empty; pass one that takes a Member&");
    }
    const auto require_threads = [this] {
        if (is_elsewhere()) {
            throw Error("Team::run: this process is a child of fork() and has none of the "
                        "team's threads; make a new Team in the child");
        }
    };
    require_threads();
    const std::unique_lock turn = turns_.take(this);
    if (missing_.load(std::memory_order_relaxed) != 0) { // ordered by running_
        start_missing();
    }
    if (group_->failure().raised()) { // in a run whose caller was ended
        recover();
    }
    group_->memory().expect_all(); // ordered by started_
    if (caller_is_member_) {
        machine::move_this_thread(cpus_.by_member().front());
    }
    const Run run{this, current_run()};
    function_ = &function;
    run_ = &run;
    running_.store(size() - first_own(), std::memory_order_relaxed); // ordered by started_
    started_.fetch_add(1, std::memory_order_release);                // release: pairs with serve()
    start_event_.notify_if_needed();
    if (caller_is_member_) {
        const OthersEnd end(*this);
        play(0, function);
        require_threads();
    } else {
        await_all();
    }
    report();
}

void TeamThreads::recover() {
    std::ranges::fill(thrown_, nullptr);
    group_->recover();
}

/// Throws the failure of a run that has ended, if any, and makes the team usable again.
void TeamThreads::report() {
    if (const std::exception_ptr failure = group_->failure().first()) {
        const std::exception_ptr cause = cause_of(failure);
        recover();
        std::rethrow_exception(cause);
    }
    if (const std::string disagreement = group_->diagnosis().disagreement(); !disagreement.empty()) {
        const std::exception_ptr cause = std::make_exception_ptr(MismatchError("Team::run: " + disagreement));
        group_->failure().report(0, cause); // disagreement() compares the others with member 0
        recover();
        std::rethrow_exception(cause);
    }
}

void TeamThreads::serve(int rank, std::uint64_t served) {
    const auto own = static_cast<std::size_t>(rank);
    pins_[own] = machine::pin_this_thread(cpus_.by_member()[own]);
    finish();
    mailbox::WaitHistory history;
    mailbox::LastCpus& last_cpus = group_->memory().last_cpus();
    for (;;) {
        // Acquire: pairs with the release of the thread that starts a run or ends the team.
        mailbox::progress_until([&] { return started_.load(std::memory_order_acquire) != served; },
                                [](bool) {}, start_event_, wait_policy_,
                                {history, last_cpus.of(rank, size())});
        ++served;
        if (stopping_.load(std::memory_order_relaxed)) {
            return;
        }
        RunOfThread run_of_thread(*this, rank);
        play(rank, *function_);
        run_of_thread.complete();
        if (is_elsewhere()) { // a child that its function has forked, with no thread but this
            return;
        }
    }
}

void TeamThreads::play(int rank, const MemberFunction& function) {
    const InRun in_run(*run_);
    Member member(group_, group_->seat(rank), Leaving::for_good);
    try {
        function(member);
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        const std::exception_ptr failure = thrown != nullptr ? thrown : thread_ended(rank);
        thrown_[static_cast<std::size_t>(rank)] = failure; // ordered by running_
        group_->fail(rank, failure);
        if (thrown == nullptr) { // nobody may stop the end of a thread
            throw;
        }
    }
}

/// Says that one thread has nothing to do any more.
void TeamThreads::finish() {
    // Release: pairs with await_all(). Acquire: the actions of others come before everything that follows the
    // last.
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        end_event_.notify_if_needed();
    }
}

/// Waits until no thread has anything to do. After a failed run, reports threads that go on for long.
void TeamThreads::await_all() {
    std::chrono::nanoseconds failed_at{0};
    bool is_told = false;
    const auto check = [&](bool takes_long) {
        if (!takes_long || is_told || !group_->failure().raised()) {
            return;
        }
        const std::chrono::nanoseconds now = library::clock_now();
        failed_at = failed_at.count() == 0 ? now : failed_at;
        is_told = now - failed_at >= before_telling;
        if (is_told) {
            tell_still_running();
        }
    };
    // Acquire: pairs with finish().
    mailbox::progress_until([this] { return running_.load(std::memory_order_acquire) == 0; }, check,
                            end_event_, wait_policy_,
                            {wait_history_, group_->memory().last_cpus().of(caller_is_member_ ? 0 : size())});
}

/// Reports why nobody learns of a failure.
void TeamThreads::tell_still_running() noexcept {
    try {
        std::vector<int> running;
        for (int rank = first_own(); rank < size(); ++rank) {
            if (!group_->has_left_for_good(rank)) {
                running.push_back(rank);
            }
        }
        std::string text = "Team::run has failed, and waits for " +
                           library::text_of_ranks(running, "member", "members") +
                           " to return from the function that it has been given\n" +
                           group_->diagnosis().roll_call(RollCallFormat::text);
        text.pop_back(); // the end of the last line
        library::report(Severity::warning, text.c_str());
    } catch (const std::bad_alloc&) { // without a word
    }
}

/// The exception for the caller of a run that failed: its first failure, unless that is unspecific. An
/// Aborted comes from a sub-group that failed before this group did, and the cause of that has arrived here
/// since.
std::exception_ptr TeamThreads::cause_of(const std::exception_ptr& failure) const {
    const auto is_cause = [](const std::exception_ptr& thrown) {
        return thrown != nullptr && !tells_little(thrown);
    };
    const auto cause = std::ranges::find_if(thrown_, is_cause);
    return is_cause(failure) || cause == thrown_.end() ? failure : *cause;
}

} // namespace tutti::v0_1::detail
