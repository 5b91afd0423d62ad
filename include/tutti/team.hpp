#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/executor.hpp>
#include <tutti/member.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tutti {

namespace mpi {
class Cluster;
}

namespace detail {
class TeamThreads;
}

/// What a team is made of.
struct TeamOptions {
    /// Number of members; 0: one for each allowed CPU.
    int members = 0;
    /// Where they are pinned: "compact" (neighbours share caches), "scatter", "none", or a list of CPUs such
    /// as "0,2,4-7".
    std::string placement = "compact";
    /// Of all their calls.
    GroupOptions group = {};
    /// Whether the thread that calls run() is member 0 instead of waiting for all others. The team then has
    /// one thread less of its own, and a run takes less time where there are as many members as CPUs. A
    /// caller's thread that may run where `placement` has member 0 goes there when a run starts, but is not
    /// pinned: the system may move it.
    bool caller_is_member = false;
};

/// p threads of its own, pinned, and their group.
///
/// Between runs the threads look for the next one for a while before they sleep, as long as a member that
/// waits does (GroupOptions::wait), but no longer than it would with Wait::automatic.
///
/// A child of fork() has none of the threads: there, run() throws Error, and the destructor does not wait for
/// them.
class TUTTI_API Team {
public:
    /// Starts the threads. Where pinning is impossible they run unpinned; pinning() tells why.
    /// Throws ArgumentError when members is not in 0..65535 or the placement cannot be read or names a CPU
    /// that is not allowed, Error when the system does not give so many threads.
    explicit Team(const TeamOptions& options = {});
    /// Ends the threads, once a run that is still going on has ended. Called by one of them, as in exit() of
    /// a program with a static team, it leaves them to the end of the process.
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    Team(Team&&) = delete;
    Team& operator=(Team&&) = delete;

    /// The number of members.
    int size() const;

    /// One line for each member that says where it runs or why it is not pinned.
    std::vector<std::string> pinning() const;

    /// As Group::tuning().
    std::string tuning() const;
    /// As Group::waits().
    std::string waits() const;

    /// As Group::roll_call().
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;
    /// As Group::trace().
    std::string trace(TraceFormat format = TraceFormat::json_lines) const;
    /// As Group::statistics().
    Statistics statistics() const;

    /// Runs `function` once on every member's thread and returns when all have finished. When one throws, the
    /// others are released from whatever collective they wait in, and the first exception is rethrown here
    /// (an Aborted only if there is no other); the team can be used again afterwards. A member whose thread
    /// is ended, by pthread_exit() or pthread_cancel(), fails with an Error, and has a new thread in the next
    /// run. Throws MismatchError when members have ended in different calls, and ArgumentError when
    /// `function` is empty.
    ///
    /// Calls from several threads take turns. Members may run other teams. Where a member's turn would
    /// never come, because its run waits for itself or teams wait for each other, Error is thrown.
    void run(const std::function<void(Member&)>& function);

    /// Has the members run the tasks that it is handed, each a share of those that are next to each other and
    /// then what others have not begun, in a run(), for whose end it waits: for calls that one thread makes
    /// for all, `tutti::allreduce(inputs, outputs, tutti::sum, team.executor())`. Throws what run() does, so
    /// it is not for members of the same team. The team must last as long.
    Executor executor();

private:
    friend class mpi::Cluster;
    const detail::GroupState& state() const;

    std::unique_ptr<detail::TeamThreads> threads_;
};

} // namespace tutti
