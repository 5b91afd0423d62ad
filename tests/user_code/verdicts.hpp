#pragma once

// The table of what user code may do where, with the outcome of each cell.

#include "../api/coroutines.hpp"
#include "../api/support.hpp"
#include "../forked.hpp"

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

/// What rank 0, whose user code acts, gets from its call or the next one.
struct Verdict {
    Thrown::Kind kind = Thrown::Kind::nothing;
    const char* text = "";
    bool is_cell = true;
};

inline constexpr Verdict fine{};
inline constexpr Verdict own_error{Thrown::Kind::other, "own"};
inline constexpr Verdict rejected{Thrown::Kind::error, "called by an operator"};
inline constexpr Verdict aborted{Thrown::Kind::aborted, "own"};
inline constexpr Verdict destroyed{Thrown::Kind::aborted, "an operator has destroyed the member"};

inline constexpr Verdict times_out{Thrown::Kind::timeout};
/// No cell, because the act is forbidden or impossible. A log function must not call the library, and a hook
/// may only report (tutti/observe.hpp). A function of an AsyncRequest must not throw (guarantees.md). An
/// operation waits for another one, because one that waits for itself never ends. Async groups have no
/// members, blocking calls, statistics, messages and reported failures, and only these groups have executors.
inline constexpr Verdict none{.is_cell = false};

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
    Verdicts{Place::continuation,
             {fine, fine, fine, fine, fine, fine, aborted, own_error, fine, fine, fine},
             {none, fine, fine, none, fine, fine, none, none, fine, none, fine}},
    Verdicts{Place::coroutine, // which keeps what it throws
             {fine, fine, fine, fine, fine, fine, aborted, fine, fine, fine, fine},
             {none, fine, fine, none, fine, fine, none, fine, fine, none, fine}},
    Verdicts{Place::op,
             {rejected, rejected, rejected, destroyed, fine, fine, aborted, own_error, fine, fine, fine},
             {none, fine, fine, none, fine, fine, none, own_error, fine, none, fine}},
    Verdicts{Place::log, {none, none, none, none, none, none, none, fine, none, none, fine}, row_of(none)},
    Verdicts{Place::hook,
             {none, none, none, none, none, none, none, times_out, times_out, times_out, times_out},
             row_of(none)},
    Verdicts{Place::executor,
             row_of(none),
             {none, fine, fine, none, fine, fine, none, own_error, fine, none, fine}}};

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
                if (verdict.is_cell && (act != Act::fork || forks)) {
                    INFO(place_names[static_cast<std::size_t>(verdicts.place)], ", ", act_names[column], ", ",
                         way_names[static_cast<std::size_t>(way)]);
                    each(verdicts.place, act, way, verdict);
                }
            }
        }
    }
}

} // namespace tutti::test
