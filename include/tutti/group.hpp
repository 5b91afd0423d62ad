// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/detail/functions.hpp>
#include <tutti/member.hpp>

#include <memory>
#include <string>

namespace tutti::v0_1 {

namespace detail {
class GroupAccess;
}

/// A group of threads that exist already: OpenMP threads, std::thread, the workers of a pool. The counterpart
/// in MPI is a communicator.
///
/// A group is a handle; copies refer to the same group. Moving a handle copies it, so that a group that has
/// been moved from can still be used.
///
/// A region is the part of a program in which the ranks of the group are joined. In a region, a thread joins
/// with its rank, calls collectives, and leaves when its Member is destroyed. Examples are a parallel region
/// of OpenMP, and the work of a std::thread that joins once and keeps its Member. A group can be used for any
/// number of regions. Every rank must be joined exactly once per region, even by a thread that has nothing to
/// contribute.
///
/// @warning If a region has fewer threads than the group has ranks, the members wait for the missing ranks.
/// If a missing rank has never been joined before, the waiting members throw an Error after
/// GroupOptions::join_timeout. If it has been joined before, they wait for ever, because the library cannot
/// distinguish a thread that never comes from a late thread. A timeout (GroupOptions::timeout) ends such a
/// wait. If a region may have fewer threads, compare `omp_get_num_threads() == group.size()` before any
/// thread joins.
///
/// A member that leaves its region ends the calls in which other members of this region wait for it: they
/// throw MismatchError, or Aborted if another member has reported the difference.
///
/// If a call of a member throws anything except ArgumentError, CombinationError, or an Error that rejects the
/// call before it begins, or if an exception destroys a Member, the group fails. A failed group stays failed:
/// every later call of its members throws Aborted or TimeoutError with the text of the first failure, and so
/// does join(). Make a new group, which takes tens of microseconds.
class TUTTI_API Group {
public:
    /// Throws ArgumentError unless 1 <= members <= 65535.
    explicit Group(int members, const GroupOptions& options = {});
    /// A handle of the same group.
    Group(const Group&) = default; // no move constructor, because it would leave an empty handle
    /// Refers to the other group from now on.
    Group& operator=(const Group&) = default;
    ~Group() = default;

    /// The number of ranks.
    int size() const noexcept;

    /// One line with the source of the choice of algorithms: "built-in choice", "file tuned.txt", or the
    /// reason why a file is not used. If the group tries algorithms (GroupOptions::tuning), the line ends
    /// with "then what is fastest here". If earlier groups have learnt something, the line says so before.
    std::string tuning() const;

    /// One line that describes how members wait for each other now, and why, for example "spin for 100 us,
    /// yield for 100 us, then sleep, because 2 members have 2 CPUs". See GroupOptions::wait. Any thread may
    /// call it at any time.
    std::string waits() const;

    /// Replaces GroupOptions::timeout for waits that begin from now on, of all members; an empty timeout
    /// stands for TUTTI_TIMEOUT as there. Groups of Member::among() follow; groups that split(), subset() and
    /// dup() have made keep theirs. Any thread may call it at any time. Throws ArgumentError if the time is
    /// not positive.
    void set_timeout(Timeout timeout);

    /// A report of where every member is. It lists for each member its last calls and their source lines, the
    /// members it waits for and how long, its thread and that thread's CPU, and whether the member has moved
    /// since the last roll call (if there was none: within about 200 us). Any thread may call it at any time;
    /// members that are inside calls are not disturbed.
    ///
    /// If the environment variable TUTTI_ROLL_CALL names a signal (USR1, or USR1,json for tools), the signal
    /// makes a thread of the library write the roll calls of all groups, of every kind, to
    /// stderr, or to the function of set_log(): `kill -USR1 PID`. The library installs its handler when the
    /// program creates the first of these objects, unless the signal has a handler already. When a team is
    /// used again after a failure, the roll call no longer lists the calls before; the error message does.
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;

    /// A record of the last operations of each member and of the waits in them, some thousand events per
    /// member. With Trace::steps, it includes the steps of the operations. Operations that are still in
    /// progress are not included. Any thread may call it at any time. Throws Error if operations are not
    /// recorded (GroupOptions::trace).
    std::string trace(TraceFormat format = TraceFormat::json_lines) const;

    /// The number of calls, the time that members waited, and which members arrive late. Include
    /// tutti/observe.hpp. Any thread may call it at any time. Throws Error if statistics are not recorded
    /// (GroupOptions::trace).
    Statistics statistics() const;

    /// Joins the group as `rank` on the calling thread. Throws ArgumentError if `rank` is negative, not less
    /// than size(), or already joined; Aborted if the group has failed, with the text of the failure; and
    /// Error in a child of fork() if its parent made the group.
    [[nodiscard("a membership lasts as long as its Member")]] Member join(int rank);

    /// Joins, calls `function(me)` with the new Member, leaves, and returns the result. `function` is not
    /// copied.
    ///
    /// - If `function` throws an exception, run() rethrows it, and the other members get Aborted with its
    ///   text. If an exception destroys a Member that join() returned, by contrast, their Aborted does not
    ///   contain the text.
    /// - If `function` calls Member::abort(), run() throws an Error with the text that was passed to abort(),
    ///   as Team::run() does, even if `function` throws as well.
    /// - If `function` is empty, run() throws ArgumentError.
    /// - If join() throws, run() throws the same exception.
    template <detail::MembersFunction F>
    auto run(int rank, F&& function) {
        return detail::result_of<Member>(function, [&](const auto& call) { run_member(rank, call); });
    }

private:
    friend class detail::GroupAccess;
    void run_member(int rank, const detail::MemberFunction& function);

    std::shared_ptr<detail::GroupState> state_;
};

/// Saves the choices of algorithms that all groups of this process have learnt in their calls
/// (GroupOptions::tuning), for GroupOptions::tuning or TUTTI_TUNING of the next run. If the file exists, the
/// choices are merged into it, and its other entries stay. Several processes may save to one file at the same
/// time; readers see the file as it was or as it is then. If nothing has been learnt, the file has no
/// entries. The environment variable TUTTI_TUNING_SAVE has a program save at its end as well, if anything has
/// been learnt.
///
/// Any thread may call it at any time. Throws ArgumentError if `path` cannot be written, or if it is not a
/// tuning file of this machine and version of the library, which is left as it is.
TUTTI_API void save_tuning(const std::string& path);

} // namespace tutti::v0_1
