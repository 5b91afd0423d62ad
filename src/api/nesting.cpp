#include "api/nesting.hpp"

#include "machine/process.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::detail {

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

} // namespace tutti::inline TUTTI_NAMESPACE::detail
