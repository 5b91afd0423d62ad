// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/detail/standard.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

// Reports of the library about itself: statistics of groups, messages and failures.

namespace tutti::v0_1 {

/// One member's calls of one collective.
struct MemberStatistics {
    std::uint64_t calls = 0; ///< number of complete calls
    /// Bytes of the collective's whole buffer, such as all blocks of an allgather. 0 if a member may know
    /// only its own blocks: in an all-to-all with counts, with counts at the root, or with displacements.
    std::uint64_t bytes = 0;
    /// Time from when a call has found or made its plan until it returns or fails, plus the time of waits for
    /// requests.
    std::chrono::nanoseconds time{0};
    /// The part of `time` spent waiting for other members.
    std::chrono::nanoseconds waited{0};
    /// How long this member arrived after the first member, on average over the compared calls.
    std::chrono::nanoseconds late{0};
};

/// All members' calls of one collective by one algorithm, added up.
struct AlgorithmStatistics {
    /// The name, such as "direct" (`tutti info --algorithms`).
    std::string_view algorithm;
    std::uint64_t calls = 0;          ///< number of complete calls: p if each of p members has made one
    std::chrono::nanoseconds time{0}; ///< MemberStatistics::time of these calls
};

/// All members' calls of one collective.
struct CollectiveStatistics {
    /// The name, such as "allreduce".
    std::string_view collective;
    /// One element per rank.
    std::vector<MemberStatistics> members;
    /// One element per algorithm that has run.
    std::vector<AlgorithmStatistics> algorithms;
    /// Number of blocking calls, among the last few thousand, for which the arrivals of all members are
    /// known.
    std::uint64_t compared = 0;
    /// Time from the first to the last arrival at a call, on average.
    std::chrono::nanoseconds spread{0};
    /// The largest time from the first to the last arrival.
    std::chrono::nanoseconds worst_spread{0};
};

/// How a group's calls spend their time, and which members arrive late.
struct Statistics {
    /// One element per collective that has been called.
    std::vector<CollectiveStatistics> collectives;
};

/// The severity of a message that no call can report as an error.
///
/// - error: a file or report that was requested is lost, such as the file of TUTTI_TRACE or TUTTI_TUNING_SAVE
/// - warning: the library continues without something that was requested, such as a tuning file; members of a
///   failed group are held up for a second; a member has waited for long (GroupOptions::report_after); or
///   the request of a rank that is not bound to a thread was dropped before its operation was over
/// - info: what the program or its user has requested: the roll calls of TUTTI_ROLL_CALL
enum class Severity : std::uint8_t { error, warning, info };

/// Receives the messages of the library. `text` may have several lines, has no newline at its end, and is
/// followed by a 0 character. It is valid during the call.
using LogFunction = std::function<void(Severity severity, std::string_view text)>;

/// Sends the messages of this copy of the library to `function`. A shared library has one copy per process, a
/// static library one in each program or plug-in that contains it. An empty function restores the default,
/// which prints to stderr: "tutti: " and the text for errors and warnings, and the text alone for info.
///
/// Any thread may call it at any time. `function` is called on the thread that has the message: a member, the
/// thread of roll calls, or the thread that exits. The library holds no lock meanwhile, so that several
/// threads may call it at the same time. It must not call the library; its exceptions are ignored.
///
/// When set_log() returns, the function that was set before is not called any more, and has been destroyed.
/// The last one is never destroyed, because it may be called until the process ends: for the files of
/// TUTTI_TRACE and TUTTI_TUNING_SAVE, which `atexit` handlers write. A shared object that sets a function of
/// its own must restore the default before it is unloaded: `set_log({})`.
///
///     tutti::set_log([](tutti::Severity severity, std::string_view text) {
///         if (severity != tutti::Severity::info) {
///             std::fprintf(stderr, "my program: %s\n", text.data());
///         }
///     });
///
/// Throws Error if it is called by such a function.
TUTTI_API void set_log(LogFunction function);

/// Receives a failure: the member that failed, by its rank in its group, and the text of what it throws. The
/// text is valid during the call, and is followed by a 0 character.
using FailureFunction = std::function<void(int member, std::string_view text)>;

/// Has `function` called whenever a group, of any kind, of this copy of the library fails: once per failure,
/// on the thread of the member that failed first, before any member throws or is released. Members that fail
/// meanwhile wait until it returns. A program can stop in a debugger there, print its state, or end. An empty
/// function removes it.
///
/// A failure in a group of among() is reported as one of the group of which that is a part, with the rank
/// there. A failure in a sub-group, or among processes, is reported again if a member's function ends
/// with it; that member may be one that was released. Failures that end one operation only, and wrong
/// arguments, which only the calling thread learns, are not reported. A difference that Team::run() finds
/// when all have returned is reported on its thread.
///
/// Any thread may call it at any time. The library holds no lock while `function` runs, so that several
/// threads may call it at the same time, for different groups. It may request roll calls, traces and
/// statistics, but must make no other calls of the library; its exceptions are ignored. When
/// set_failure_hook() returns, the function that was set before is not called any more.
///
/// Throws Error if it is called by such a function.
TUTTI_API void set_failure_hook(FailureFunction function);

} // namespace tutti::v0_1
