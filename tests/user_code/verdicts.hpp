#pragma once

// The table of what user code may do where, with the outcome of each cell.

#include "../api/coroutines.hpp"
#include "../api/support.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace tutti::test {

enum class Place { continuation, coroutine, op, log, hook, executor };
enum class Act {
    blocking_call,
    start,
    wait,
    destroy_member,
    destroy_group,
    destroy_request,
    abort,
    exception,
    roll_call,
    statistics,
    fork
};
enum class Way { blocking, nonblocking, persistent, async };

inline constexpr std::array act_names{"blocking call", "start",          "wait",  "end of member",
                                      "end of group",  "end of request", "abort", "throw",
                                      "roll call",     "statistics",     "fork"};
inline constexpr std::array place_names{"continuation", "coroutine",    "operator",
                                        "log function", "failure hook", "executor"};
inline constexpr std::array way_names{"blocking", "nonblocking", "persistent", "async"};

/// What rank 0, whose user code acts, gets from its call or the next one, or why there is no such cell.
struct Verdict {
    Thrown::Kind kind = Thrown::Kind::nothing;
    const char* text = "";
    const char* no_cell = nullptr;
};

inline constexpr Verdict fine{};
inline constexpr Verdict own_error{Thrown::Kind::other, "own"};
inline constexpr Verdict rejected{Thrown::Kind::error, "called by an operator"};
inline constexpr Verdict aborted{Thrown::Kind::aborted, "own"};
inline constexpr Verdict destroyed{Thrown::Kind::aborted, "an operator has destroyed the member"};

constexpr Verdict none(const char* reason) {
    return {.no_cell = reason};
}
inline constexpr Verdict no_log_call =
    none("forbidden: a log function must not call the library (tutti/log.hpp)");
inline constexpr Verdict no_hook_call = none("forbidden: a hook may only report (tutti/log.hpp)");
inline constexpr Verdict no_executor = none("impossible: only async groups have executors");
inline constexpr Verdict no_member = none("impossible: an async group has no members");
inline constexpr Verdict no_blocking = none("impossible: an async group has no blocking calls");
inline constexpr Verdict no_statistics = none("impossible: an async group has no statistics");
inline constexpr Verdict own_end = none("forbidden: an operation that waits for its own end never ends");
inline constexpr Verdict no_throw =
    none("forbidden: a function of an AsyncRequest must not throw (guarantees.md)");
inline constexpr Verdict no_log = none("impossible: async groups log nothing");
inline constexpr Verdict no_hook =
    none("impossible: failures of async operations are not reported (tutti/log.hpp)");

inline constexpr Verdict times_out{Thrown::Kind::timeout};

using Row = std::array<Verdict, act_names.size()>;

constexpr Row row_of(const Verdict& verdict) {
    Row row;
    row.fill(verdict);
    return row;
}

struct Verdicts {
    Place place;
    Row members; ///< the ways of members have the same outcomes
    Row async;
};

// The columns are in the order of Act.
inline constexpr std::array table{
    Verdicts{
        Place::continuation,
        {fine, fine, fine, fine, fine, fine, aborted, own_error, fine, fine, fine},
        {no_blocking, fine, fine, no_member, fine, fine, no_member, no_throw, fine, no_statistics, fine}},
    Verdicts{Place::coroutine, // which keeps what it throws
             {fine, fine, fine, fine, fine, fine, aborted, fine, fine, fine, fine},
             {no_blocking, fine, fine, no_member, fine, fine, no_member, fine, fine, no_statistics, fine}},
    Verdicts{
        Place::op,
        {rejected, rejected, rejected, destroyed, fine, fine, aborted, own_error, fine, fine, fine},
        {no_blocking, fine, own_end, no_member, fine, fine, no_member, own_error, fine, no_statistics, fine}},
    Verdicts{Place::log,
             {no_log_call, no_log_call, no_log_call, no_log_call, no_log_call, no_log_call, no_log_call, fine,
              no_log_call, no_log_call, fine},
             row_of(no_log)},
    Verdicts{Place::hook,
             {no_hook_call, no_hook_call, no_hook_call, no_hook_call, no_hook_call, no_hook_call,
              no_hook_call, times_out, times_out, times_out, times_out},
             row_of(no_hook)},
    Verdicts{Place::executor,
             row_of(no_executor),
             {no_blocking, fine, own_end, no_member, fine, fine, no_member, own_error, fine, no_statistics,
              fine}}};

inline void fork_and_return() {
    const pid_t child = fork();
    if (child == 0) {
        _exit(7);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 7);
}

using Acts = std::function<void()>;

template <class Request>
Task coroutine(Request& awaited, Acts act) {
    co_await awaited;
    act();
}

inline void check(const Verdict& verdict, const Thrown& thrown) {
    INFO(thrown.text);
    CHECK(thrown.kind == verdict.kind);
    CHECK(mentions(thrown.text, verdict.text));
}

/// Sanitizers follow no thread into a child process, and the thread sanitizer refuses to fork beside threads.
inline constexpr bool forks =
#if defined(__SANITIZE_THREAD__)
    false;
#else
    true;
#endif

template <class Each>
void for_each_cell(std::initializer_list<Way> ways, Each each) {
    for (const Verdicts& verdicts : table) {
        for (std::size_t column = 0; column < act_names.size(); ++column) {
            const auto act = static_cast<Act>(column);
            for (const Way way : ways) {
                const Verdict& verdict = (way == Way::async ? verdicts.async : verdicts.members)[column];
                if (verdict.no_cell != nullptr) {
                    CHECK(std::string(verdict.no_cell).find(": ") != std::string::npos);
                } else if (act != Act::fork || forks) {
                    INFO(place_names[static_cast<std::size_t>(verdicts.place)], ", ", act_names[column], ", ",
                         way_names[static_cast<std::size_t>(way)]);
                    each(verdicts.place, act, way, verdict);
                }
            }
        }
    }
}

} // namespace tutti::test
