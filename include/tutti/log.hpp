#pragma once

#include <tutti/detail/export.h>
#include <tutti/detail/standard.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace tutti::v0_1 {

/// The level of a message that no call can report as an error.
///
/// - error: a file or report that was requested is lost, such as the file of TUTTI_TRACE or TUTTI_TUNING_SAVE
/// - warning: the library continues without something that was requested, such as a tuning file; members of a
///   failed group are held up for a second; or a member has waited for long (GroupOptions::report_after)
/// - info: what the program or its user has requested: the roll calls of TUTTI_ROLL_CALL
enum class LogLevel : std::uint8_t { error, warning, info };

/// Receives the messages of the library. `text` may have several lines, has no newline at its end, and is
/// followed by a 0 character. It is valid during the call.
using LogFunction = std::function<void(LogLevel level, std::string_view text)>;

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
///     tutti::set_log([](tutti::LogLevel level, std::string_view text) {
///         if (level != tutti::LogLevel::info) {
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
/// arguments, which only the caller learns, are not reported. A difference that Team::run() finds when all
/// have returned is reported on its thread.
///
/// Any thread may call it at any time. The library holds no lock while `function` runs, so that several
/// threads may call it at the same time, for different groups. It may request roll calls, traces and
/// statistics, but must make no other calls of the library; its exceptions are ignored. When
/// set_failure_hook() returns, the function that was set before is not called any more.
///
/// Throws Error if it is called by such a function.
TUTTI_API void set_failure_hook(FailureFunction function);

} // namespace tutti::v0_1
