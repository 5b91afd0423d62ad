// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/group.hpp>
#include <tutti/member.hpp>
#include <tutti/operators.hpp>
#include <tutti/start.hpp>
#include <tutti/team.hpp>

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::v0_1 {

namespace c_api {
class MpiMember;
}

namespace detail {
class ClusterSeat;
class ClusterState;
struct PartLayout;

/// Like detail::execute_again.
TUTTI_API bool run_again(ClusterSeat& seat, std::uint64_t key, const void* input, void* output);
TUTTI_API void run_operator(ClusterSeat& seat, void (*work)(void* state), void* state);
TUTTI_API detail::RequestBase& start(ClusterSeat& seat, const detail::Call& call);
TUTTI_API detail::PersistentRequestBase& prepare(ClusterSeat& seat, const detail::Call& call);

/// A way of calling, like BlockingWay.
struct ClusterWay {
    static constexpr bool blocks = true;
    static constexpr bool in_one_process = false;
};

/// The same where the operation is still outstanding when the call returns.
struct NonblockingClusterWay : ClusterWay {
    static constexpr bool blocks = false;
};

/// The common part of ClusterStart and ClusterPrepare.
template <class Calls>
using NonblockingClusterCalls = NonblockingCalls<Calls, ClusterSeat, NonblockingClusterWay>;

} // namespace detail

/// The nonblocking collectives of a cluster, `Request sum = me.start.allreduce(in, out, tutti::sum)`, as
/// tutti::Start describes them. These rules are added:
///
/// - The leader of each process, which is the thread that makes the MPI calls, exchanges the operations with
///   other processes, one after the other, in the order in which they were started. It does so whenever its
///   thread tests or waits for a request, or waits in a call that blocks: there is no progress thread. All
///   other members only wait for it.
/// - The leader combines the operands of its process and stores the results of all its members, from and to
///   their buffers. So an operation costs the leader what a call that blocks costs all members together.
/// - Order serial is rejected unless the order cannot change the bits. The bits are those of the call that
///   blocks.
class ClusterStart : public detail::NonblockingClusterCalls<ClusterStart> {
public:
    using NonblockingCalls::NonblockingCalls;

private:
    friend class Collectives<ClusterStart, detail::NonblockingClusterWay>;
    Request run(const detail::Call& call) { return Request(detail::start(seat(), call)); }
};

/// The persistent collectives of a cluster, as tutti::Prepare describes them, with the rules of ClusterStart.
/// In contrast to those of a group, all members must also start them in the same order, and in the same order
/// relative to nonblocking calls.
class ClusterPrepare : public detail::NonblockingClusterCalls<ClusterPrepare> {
public:
    using NonblockingCalls::NonblockingCalls;

private:
    friend class Collectives<ClusterPrepare, detail::NonblockingClusterWay>;
    Persistent run(const detail::Call& call) { return Persistent(detail::prepare(seat(), call)); }
};

/// Options of a cluster.
struct ClusterOptions {
    /// Maximum time that a call may wait for other members, of its own process or of another. On expiry all
    /// members of all processes throw TimeoutError. It must exceed the time by which processes may arrive
    /// late at a call. Default: the timeout of the Group or Team, including TUTTI_TIMEOUT; 10 minutes if
    /// neither is set.
    Timeout timeout = {};
};

/// One thread's membership in a cluster; the collectives are its member functions. They are the collectives
/// of tutti::Member over the members of all processes, except split by level and among. Ranks, sizes, roots,
/// counts and the order of operands are global. A single object is passed by value. All members of all
/// processes must make the same calls in the same order.
///
/// Throws what tutti::Member throws, and tutti::Error if MPI reports an error or a process does not answer.
/// If one member fails, the call fails on all members of all processes, and the cluster cannot be used any
/// more. Some MPI libraries end the job when they find an error; MPICH does so for errors of requests.
///
/// P is the number of members of all processes, m the bytes of one member's whole buffer. Inside a process a
/// call costs two exchanges, three among neighbours, in which each member reads and writes 2m to 3m bytes, or
/// reads m and writes its part of m if they share the result. Between processes it costs what the algorithm
/// among the processes costs.
class TUTTI_API ClusterMember : public Collectives<ClusterMember, detail::ClusterWay> {
public:
    ~ClusterMember();
    /// Moves the membership; `other` must not be used afterwards.
    ClusterMember(ClusterMember&& other) noexcept;
    ClusterMember(const ClusterMember&) = delete;
    ClusterMember& operator=(const ClusterMember&) = delete;
    /// Leaves the cluster of this member, as the destructor does, and then moves the membership, as the move
    /// constructor does. If `other` is this member, nothing happens.
    ClusterMember& operator=(ClusterMember&& other) noexcept;

    /// The global rank, 0 .. size() - 1: the rank of the process's first member plus the local rank.
    int rank() const noexcept { return rank_; }
    /// The number of members of all processes, P.
    int size() const noexcept { return size_; }

    /// The nonblocking collectives; each call returns a Request.
    ClusterStart start;
    /// The persistent collectives, which can be started any number of times; each call returns a Persistent.
    ClusterPrepare prepare;

    /// Fails this member: the current and later calls of all members of all processes throw Aborted, whose
    /// text contains `text`. A member that cannot continue, but does not throw an exception, must call it
    /// before it leaves. If `text` is empty, a text that names abort() replaces it. Only the member's thread
    /// may call it.
    void abort(std::string_view text);

    /// tutti::Member::neighbors() over the members of all processes.
    [[nodiscard]] Neighbors neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                                      SourceLine where = SourceLine::here());
    /// tutti::Member::grid() over the members of all processes. Grids of which each process has a compact
    /// part exchange the least with other processes: ranks are not reordered.
    [[nodiscard]] Neighbors grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const;

    /// tutti::Member::split() among the members of all processes: by `color` into new clusters, ranked by
    /// `key` and then by the rank here. The new cluster is that of its members' processes only; within one
    /// process it makes no MPI calls. Every member must call it.
    ///
    /// - The members of a process must have consecutive ranks in the new cluster. Otherwise, all members
    ///   throw CombinationError, and may go on.
    /// - Below MPI_THREAD_MULTIPLE, one thread of a process makes all MPI calls. If a new cluster has members
    ///   in several processes, it must include that member of each of them. Otherwise, all members throw
    ///   CombinationError, and may go on. With MPI_THREAD_MULTIPLE, the first of the new cluster's members in
    ///   each process makes its MPI calls.
    /// - A failure of this cluster also fails all clusters made from it. Other rules of lifetime and failures
    ///   are those of tutti::Member::split(), but other processes wait until the timeout for a member that
    ///   was destroyed.
    /// - MPI's communicators of the new cluster are freed in a later split of this cluster or at its end. If
    ///   a member of the new cluster outlives this cluster, they are kept until MPI_Finalize.
    ///
    /// Cost: an allgather and three collective calls inside the process, and per new cluster three
    /// communicators of MPI.
    [[nodiscard("a membership lasts as long as its ClusterMember")]] std::optional<ClusterMember>
    split(std::optional<int> color, int key, SourceLine where = SourceLine::here());

    /// tutti::Member::subset() among the members of all processes, with the rules of split().
    [[nodiscard("a membership lasts as long as its ClusterMember")]] std::optional<ClusterMember>
    subset(std::span<const int> ranks, SourceLine where = SourceLine::here());

    /// Makes a new cluster of the same members with the same ranks, with the rules of split().
    [[nodiscard("a membership lasts as long as its ClusterMember")]] ClusterMember
    dup(SourceLine where = SourceLine::here());

    /// This thread's member of the process's own group, for collectives inside the process. In a cluster made
    /// by split(), subset() or dup(), the group has the members of the process that are in the cluster.
    Member& local() { return own_ ? *own_ : *borrowed_; }

private:
    friend class Cluster;
    friend class Collectives<ClusterMember, detail::ClusterWay>;
    friend class c_api::MpiMember;

    ClusterMember(std::shared_ptr<detail::ClusterState> cluster, detail::ClusterSeat& seat, Member* borrowed,
                  std::optional<Member> own);

    void run(const detail::Call& call) {
        called_from_->show(call.where);
        const std::uint64_t key = detail::key_of(call);
        if (key == 0 || !detail::run_again(*seat_, key, call.input, call.output)) {
            const detail::Call made = call; // so that only this one lies in memory
            run_anew(made);
        }
    }
    void run_anew(const detail::Call& call);
    template <class Work>
    void run_operator(Work work) {
        detail::run_operator_of(*seat_, work);
    }
    void leave() noexcept;
    /// The parts into which the members divide the cluster by their choices.
    std::vector<detail::PartLayout> agree_on_parts(const detail::Choice& choice, SourceLine where);
    std::optional<ClusterMember> regroup(const detail::Choice& choice, SourceLine where);

    std::shared_ptr<detail::ClusterState> cluster_;
    std::optional<Member> own_;
    Member* borrowed_;
    detail::ClusterSeat* seat_;
    detail::CalledFrom* called_from_;
    int rank_;
    int size_;
    int exceptions_on_entry_;
};

/// The threads of all processes of a communicator as one group: the local groups, connected over MPI.
///
/// Constructing a cluster is collective over the communicator: one thread of each process must do it.
/// Destroying the last handle or member of a cluster is collective as well, unless the cluster has failed.
/// Both make MPI calls. The communicator is duplicated, so other messages of the program cannot interfere.
/// The groups used inside have the options of the Group or Team. Processes may have different numbers of
/// members. Data travel as bytes: all processes must use the same representation of numbers.
///
/// If a process has more than one thread, MPI must have been initialised with at least MPI_THREAD_FUNNELED:
///
/// - FUNNELED: the main thread makes all MPI calls. It must be one of the members of the Group, or the thread
///   that calls run() for a Team.
/// - SERIALIZED: member 0 of each process makes the MPI calls. No other thread of the program may make MPI
///   calls at the same time.
/// - MULTIPLE: member 0 of each process makes the MPI calls.
class TUTTI_API Cluster {
public:
    /// Makes a cluster of threads that join. Throws ArgumentError if MPI is not initialised or already
    /// finalised, if the communicator is null or an inter-communicator, or if the thread level of MPI is too
    /// low.
    Cluster(const Group& group, MPI_Comm communicator, const ClusterOptions& options = {});

    /// Makes a cluster of the threads of a team, which must outlive the cluster. Throws as above.
    Cluster(Team& team, MPI_Comm communicator, const ClusterOptions& options = {});
    /// A handle of the same cluster.
    Cluster(const Cluster&) = default; // no move constructor, because it would leave an empty handle
    /// Refers to the other cluster from now on.
    Cluster& operator=(const Cluster&) = default;
    ~Cluster() = default;

    /// The number of members of all processes.
    int size() const;
    /// The number of processes.
    int processes() const;
    /// The rank of this process.
    int process() const;
    /// The global rank of this process's member 0.
    int first_rank() const;

    /// A report of where every member of this process is, as Group::roll_call(), with the processes it waits
    /// for.
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;

    /// Joins the group as `local_rank` on the calling thread. Throws what Group::join() throws, and
    /// ArgumentError if the cluster was made from a Team.
    [[nodiscard("a membership lasts as long as its ClusterMember")]] ClusterMember join(int local_rank);

    /// Joins as `local_rank`, calls `function(me)`, leaves, and returns the result, with the rules of
    /// Group::run(): the text of an exception reaches all members of all processes. Throws what join()
    /// throws.
    template <detail::MembersFunction<ClusterMember> F>
    auto run(int local_rank, F&& function) {
        return detail::result_of<ClusterMember>(function,
                                                [&](const auto& call) { run_member(local_rank, call); });
    }

    /// Calls `function(me)` once on every thread of the team, and returns the results by local rank, as
    /// Team::run() does. Throws ArgumentError if the cluster was made from a Group, or if, under
    /// MPI_THREAD_FUNNELED, the calling thread is not the main thread.
    template <detail::MembersFunction<ClusterMember> F>
    auto run(F&& function) {
        return detail::results_of<ClusterMember>(
            team_ == nullptr ? 0 : team_->size(), function,
            [](ClusterMember& me) { return me.local().rank(); }, [&](const auto& call) { run_all(call); });
    }

private:
    void run_member(int local_rank, const detail::FunctionOf<ClusterMember>& function);
    void run_all(const detail::FunctionOf<ClusterMember>& function);

    std::shared_ptr<detail::ClusterState> state_;
    std::optional<Group> group_;
    Team* team_ = nullptr;
};

/// The CPUs that a process should use.
struct CpuShare {
    /// The CPUs of this process, for TeamOptions::placement.
    Placement placement = {};
    /// The number of these CPUs.
    int cpus = 0;
    /// One line that describes how the CPUs of the node were divided, and why.
    std::string note = {};
};

/// Divides the CPUs of each node among the processes of `communicator` on it. The processes exchange their
/// masks of allowed CPUs. Each process keeps a mask of its own. Processes with the same mask divide it in
/// rank order into parts of the machine: packages, NUMA nodes or L3 caches if these have equally many CPUs
/// and their number divides that of the processes, or the reverse; otherwise into equally many neighbouring
/// cores. If there are more processes than CPUs, each gets one CPU in turn. CPUs of masks that overlap are
/// dealt out one by one. Placements have one CPU of each core first. It is a collective call. Throws what the
/// constructor of Cluster throws.
TUTTI_API CpuShare divide_cpus(MPI_Comm communicator);

} // namespace tutti::v0_1
