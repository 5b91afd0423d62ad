#pragma once

// The table of what user code may do where, with the outcome of each cell.

#include "../api/coroutines.hpp"
#include "../api/support.hpp"
#include "../test.hpp"

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

inline constexpr std::array acts{Act::blocking_call, Act::start,           Act::wait,  Act::destroy_member,
                                 Act::destroy_group, Act::destroy_request, Act::abort, Act::exception,
                                 Act::roll_call,     Act::statistics,      Act::fork};

/// What rank 0, whose user code acts, gets from its call or the next one, or why there is no such cell.
struct Verdict {
    Thrown::Kind kind = Thrown::Kind::nothing;
    const char* text = "";
    const char* no_cell = nullptr;
};

inline constexpr Verdict fine{};
inline constexpr Verdict own{Thrown::Kind::other, "own"};
inline constexpr Verdict rejected{Thrown::Kind::error, "called by an operator"};
inline constexpr Verdict aborted{Thrown::Kind::aborted, "own"};
inline constexpr Verdict destroyed{Thrown::Kind::aborted, "an operator has destroyed the member"};

constexpr Verdict none(const char* reason) {
    return {.no_cell = reason};
}
inline constexpr Verdict log_calls =
    none("forbidden: a log function must not call the library (tutti/log.hpp)");
inline constexpr Verdict hook_calls = none("forbidden: a hook may only report (tutti/log.hpp)");
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

using Row = std::array<Verdict, acts.size()>;

struct Verdicts {
    Place place;
    Row members; ///< the ways of members have the same outcomes
    Row async;
};

// The columns are in the order of Act.
inline constexpr std::array table{
    Verdicts{
        Place::continuation,
        {fine, fine, fine, fine, fine, fine, aborted, own, fine, fine, fine},
        {no_blocking, fine, fine, no_member, fine, fine, no_member, no_throw, fine, no_statistics, fine}},
    Verdicts{Place::coroutine, // which keeps what it throws
             {fine, fine, fine, fine, fine, fine, aborted, fine, fine, fine, fine},
             {no_blocking, fine, fine, no_member, fine, fine, no_member, fine, fine, no_statistics, fine}},
    Verdicts{Place::op,
             {rejected, rejected, rejected, destroyed, fine, fine, aborted, own, fine, fine, fine},
             {no_blocking, fine, own_end, no_member, fine, fine, no_member, own, fine, no_statistics, fine}},
    Verdicts{Place::log,
             {log_calls, log_calls, log_calls, log_calls, log_calls, log_calls, log_calls, fine, log_calls,
              log_calls, fine},
             {no_log, no_log, no_log, no_log, no_log, no_log, no_log, no_log, no_log, no_log, no_log}},
    Verdicts{
        Place::hook,
        {hook_calls,
         hook_calls,
         hook_calls,
         hook_calls,
         hook_calls,
         hook_calls,
         hook_calls,
         {Thrown::Kind::timeout},
         {Thrown::Kind::timeout},
         {Thrown::Kind::timeout},
         {Thrown::Kind::timeout}},
        {no_hook, no_hook, no_hook, no_hook, no_hook, no_hook, no_hook, no_hook, no_hook, no_hook, no_hook}},
    Verdicts{Place::executor,
             {no_executor, no_executor, no_executor, no_executor, no_executor, no_executor, no_executor,
              no_executor, no_executor, no_executor, no_executor},
             {no_blocking, fine, own_end, no_member, fine, fine, no_member, own, fine, no_statistics, fine}}};

inline const char* const place_names[] = {"continuation", "coroutine",    "operator",
                                          "log function", "failure hook", "executor"};
inline const char* const act_names[] = {"a blocking call",
                                        "the start of a call",
                                        "a wait",
                                        "destruction of the member",
                                        "destruction of the group",
                                        "destruction of the request",
                                        "abort",
                                        "an exception",
                                        "a roll call",
                                        "statistics",
                                        "fork"};
inline const char* const way_names[] = {"blocking", "nonblocking", "persistent", "async"};

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
        for (const Act act : acts) {
            for (const Way way : ways) {
                const Row& row = way == Way::async ? verdicts.async : verdicts.members;
                const Verdict& verdict = row[static_cast<std::size_t>(act)];
                if (verdict.no_cell != nullptr) {
                    CHECK(std::string(verdict.no_cell).find(": ") != std::string::npos);
                } else if (act != Act::fork || forks) {
                    const std::string cell = std::string(place_names[static_cast<int>(verdicts.place)]) +
                                             ", " + act_names[static_cast<int>(act)] + ", " +
                                             way_names[static_cast<int>(way)];
                    INFO(cell);
                    each(verdicts.place, act, way, verdict);
                }
            }
        }
    }
}

} // namespace tutti::test
