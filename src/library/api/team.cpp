#include "api/team_threads.hpp"
#include "machine/placement.hpp"
#include "machine/process.hpp"

#include <tutti/error.hpp>
#include <tutti/team.hpp>

#include <algorithm>

namespace tutti::v0_1 {

namespace {

/// Keeps teams whose threads cannot be waited for, because the memory that these threads use must last as
/// long as they do.
void keep(std::unique_ptr<detail::TeamThreads> threads) {
    static machine::ProcessMutex mutex;
    static auto& kept = *new std::vector<std::unique_ptr<detail::TeamThreads>>; // never destroyed
    const std::scoped_lock lock(mutex);
    kept.push_back(std::move(threads));
}

} // namespace

Team::Team(int members, const TeamOptions& options) {
    detail::require_number("Team", "members", members, ", or left out (0 in C) for one per allowed CPU");
    threads_ = std::make_unique<detail::TeamThreads>(members, options);
    threads_->start_missing();
}

Team::Team(const TeamOptions& options) : threads_(std::make_unique<detail::TeamThreads>(0, options)) {
    threads_->start_missing();
}

Team::~Team() {
    if (!threads_->can_end()) {
        keep(std::move(threads_));
    }
}

int Team::size() const noexcept {
    return threads_->size();
}

std::vector<int> Team::cpus() const {
    std::vector<int> cpus;
    for (const machine::PinResult& pin : threads_->pins()) {
        cpus.push_back(pin.pinned ? pin.os_index : machine::unpinned);
    }
    return cpus;
}

std::vector<std::string> Team::pinning() const {
    std::vector<std::string> lines;
    for (const machine::PinResult& pin : threads_->pins()) {
        const std::string member = "member " + std::to_string(lines.size()) + ": ";
        const bool is_caller = threads_->caller_is_member() && lines.empty();
        const char* const shared =
            threads_->shares(pin.os_index) ? ", which another team of the process uses too" : "";
        lines.push_back(member + (pin.pinned  ? "CPU " + std::to_string(pin.os_index) + shared
                                  : is_caller ? "the caller's thread, not pinned"
                                  : pin.os_index == machine::unpinned ? "not pinned"
                                                                      : "not pinned: " + pin.reason));
    }
    return lines;
}

std::string Team::tuning() const {
    return threads_->group().config().tuning;
}

std::string Team::waits() const {
    return threads_->group().text_of_waits();
}

void Team::set_timeout(Timeout timeout) {
    threads_->group().set_timeout(timeout);
}

std::string Team::roll_call(RollCallFormat format) const {
    return threads_->group().diagnosis().roll_call(format);
}

std::string Team::trace(TraceFormat format) const {
    return threads_->group().trace(format);
}

Statistics Team::statistics() const {
    return threads_->group().statistics();
}

const detail::GroupState& Team::state() const {
    return threads_->group();
}

void Team::run_all(const detail::MemberFunction& function) {
    threads_->run(function);
}

} // namespace tutti::v0_1

namespace tutti::v0_1::detail {

namespace {

thread_local const Run* innermost = nullptr;

bool is_within(const Run* run, const void* team) {
    return run != nullptr && (run->team == team || is_within(run->outer, team));
}

/// A thread that waits for its turn: until it has that, all runs that it is within cannot end.
struct Waiter {
    const Run* run;
    const void* team;
};

/// All that wait, in the whole process.
struct Waiters {
    machine::ProcessMutex mutex;
    std::vector<Waiter> all;

    /// Whether the end of the present run of `team` waits for the end of a run that `run` is within. The
    /// search ends, because no thread that would have closed a circle is among the waiting threads.
    bool close_circle(const void* team, const Run* run) const {
        return is_within(run, team) || std::ranges::any_of(all, [&](const Waiter& waiter) {
                   return is_within(waiter.run, team) && close_circle(waiter.team, run);
               });
    }
};

Waiters& waiters() {
    static Waiters& waiters = *new Waiters; // never destroyed: static teams may be used later
    return waiters;
}

} // namespace

const Run* current_run() {
    return innermost;
}

InRun::InRun(const Run& run) : before_(std::exchange(innermost, &run)) {}

InRun::~InRun() {
    innermost = before_;
}

bool is_in_run_of(const void* team) {
    return is_within(innermost, team);
}

std::unique_lock<std::mutex> Turns::take(const void* team) {
    if (is_in_run_of(team)) {
        throw Error("Team::run: called by a member of the same team, or of a team that one of its members "
                    "runs: it would wait for itself");
    }
    std::unique_lock turn(turn_, std::try_to_lock);
    if (turn.owns_lock()) {
        return turn;
    }
    if (innermost == nullptr) { // nobody waits for this thread
        turn.lock();
        return turn;
    }
    std::unique_lock lock(waiters().mutex);
    std::vector<Waiter>& all = waiters().all;
    if (waiters().close_circle(team, innermost)) {
        throw Error("Team::run: called by a member of a team that a member of the called one waits to run: "
                    "the teams would wait for each other for ever");
    }
    all.push_back({innermost, team});
    lock.unlock();
    turn.lock();
    lock.lock();
    all.erase(std::ranges::find_if(
        all, [&](const Waiter& waiter) { return waiter.run == innermost && waiter.team == team; }));
    return turn;
}

} // namespace tutti::v0_1::detail
