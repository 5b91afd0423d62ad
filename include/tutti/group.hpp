#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/member.hpp>
#include <tutti/statistics.hpp>

#include <functional>
#include <memory>
#include <string>

namespace tutti {

namespace mpi {
class Cluster;
}

/// Seats for threads that exist already: OpenMP threads, std::thread, a pool's workers.
///
/// A group is a handle; copies share the same seats. It stays usable for as many parallel regions as the
/// program has: a thread joins, calls collectives, and leaves when its Member is destroyed. Every seat is to
/// be taken once for each region, also by a thread that has nothing to do in it. Where nobody has ever taken
/// a seat, as in a region that gets fewer threads than the group has seats, those that wait for it throw an
/// Error after a while (GroupOptions::join_deadline). After that nobody can tell a thread that will not come
/// from one that is late: where later regions may get fewer threads, compare (omp_get_num_threads() ==
/// group.size()) before anybody joins, or the others wait for good.
///
/// When a Member is destroyed by an exception, the region has failed for all members: those that are there
/// are released with Aborted, be it in this region or still in the one before, and so are those that are yet
/// to come to it, by join(). A member that had left it before is not told. If some member has gone on to the
/// next region already, that one fails as well. The group can be used again in the region after that: a
/// program whose threads all come to every region, and that catches what they throw and goes on, needs to do
/// nothing else. A thread that does not come to a region has its failure, or the wait for it, still before
/// it: where a region has failed for want of threads and the next one has all of them, those that were not
/// there are told by join(), and join again.
class TUTTI_API Group {
public:
    /// Throws ArgumentError unless 1 <= members <= 65535.
    explicit Group(int members, const GroupOptions& options = {});

    /// The number of seats.
    int size() const;

    /// One line that says where the choice of algorithms comes from: "built-in choice", "file tuned.txt", or
    /// why a file is not used.
    std::string tuning() const;

    /// How members wait for each other now, and why, in one line: "spin for 100 us, yield for 100 us,
    /// then sleep, because 2 members have 2 CPUs". See GroupOptions::wait. May be called by any thread at any
    /// time.
    std::string waits() const;

    /// Who is where: of each member the last calls, where in the program, whom it waits for and for how long,
    /// its thread, where that runs, and whether it has moved since the last roll call, or else within some
    /// 200 us. Any thread may ask at any time, also while members are in calls, who do not notice.
    ///
    /// Where the environment variable TUTTI_ROLL_CALL names a signal (USR1; USR1,json for tools), that makes
    /// a thread of the library write the roll calls of all groups, teams, sub-groups, rendezvous and clusters
    /// to stderr: `kill -USR1 PID`, from when the program has made the first of them. A group that is used
    /// again after a failure begins anew: what was before, the error tells.
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;

    /// The last operations of each member and the waits in them, with Trace::steps their steps as well: some
    /// thousand events a member. Any thread may ask at any time; what is under way is not in it yet. Throws
    /// Error where nothing of that is recorded (GroupOptions::trace).
    std::string trace(TraceFormat format = TraceFormat::json_lines) const;

    /// What the members have called, for how long they have waited, and who comes late. Any thread may ask at
    /// any time. Throws Error where it is not recorded (GroupOptions::trace).
    Statistics statistics() const;

    /// Takes seat `rank` for the calling thread. Throws ArgumentError when rank is not in 0 .. size() - 1 or
    /// the seat is taken, and Aborted when the region to which the thread comes has failed already. To the
    /// region after that it comes when those who were in the one that failed have left, for which it waits;
    /// it throws Aborted as well when they do not leave within a second, which ends that region for all, or
    /// when the calling thread itself has yet to leave.
    Member join(int rank);

    /// Joins, calls `function` and leaves. What it throws is rethrown, and the others' Aborted carry its
    /// text; of an exception that destroys the Member that join() has returned they learn no more than that
    /// there was one.
    void run(int rank, const std::function<void(Member&)>& function);

private:
    friend class mpi::Cluster;

    std::shared_ptr<detail::GroupState> state_;
};

} // namespace tutti
