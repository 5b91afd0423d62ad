#pragma once

#include <tutti/counts.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/group.hpp>
#include <tutti/member.hpp>
#include <tutti/operators.hpp>
#include <tutti/team.hpp>

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// Collectives among the threads of several MPI processes: every thread calls, leaders carry the data over
/// MPI.
namespace tutti::mpi {

namespace detail {
class ClusterSeat;
class ClusterState;

/// As tutti::detail::execute_again, of a call that names no way.
TUTTI_API bool run_again(ClusterSeat& seat, std::uint64_t key, const void* input, void* output);
} // namespace detail

/// What a caller may choose for one collective call. Every member of every process must choose the same.
struct Options {
    /// How a process's vectors travel; empty: the library chooses: pipelined for what is longer than 1 MiB
    /// and allows it, where in every process several members have a CPU each, else leader.
    ///
    /// - leader: one thread of each process carries everything in one go
    /// - pipelined: one thread carries segments while the others combine the next ones; for broadcast,
    ///   reduce, allreduce, reduce_scatter and allgather
    std::string_view way = {};
    /// What the leaders run among themselves: "library" for the MPI library's own collective, or the name of
    /// one of Tutti's algorithms (`tutti info --algorithms`); empty: the library chooses.
    std::string_view algorithm = {};
    /// In what order reductions combine the operands of all members. any: each process combines those of its
    /// members as a group does; their results are combined in the order of the processes. Where the processes
    /// and the members of each are powers of two in number, all processes have as many members and it is no
    /// scan, that gives the bits of one group of all. serial: in rank order from the left, the same bits
    /// however the members are divided among processes. Then each process goes on from what those before it
    /// amount to, one after the other, where any other order might give other bits.
    Order order = Order::any;
    /// As ClusterOptions::deadline, which it takes the place of, of this call.
    std::chrono::milliseconds deadline = {};
    /// Where the call is in the program.
    SourceLine where = SourceLine::here();
};

namespace detail {

/// A way of calling, as tutti::detail::BlockingWay.
struct BlockingWay {
    using Options = mpi::Options;
    static constexpr bool blocks = true;
    static constexpr bool in_one_process = false;
};

} // namespace detail

/// What a cluster is to do about processes that do not answer.
struct ClusterOptions {
    /// How long a call of a member may wait for others, of its process or of another one, until all members
    /// of all processes throw a TimeoutError. Must exceed the time by which processes come late to a call. 0:
    /// the deadline of the Group or Team, with what TUTTI_TIMEOUT says; 10 minutes if that has none.
    std::chrono::milliseconds deadline = {};
};

/// One thread's seat in a cluster: where collectives are called. The collectives are those of tutti::Member,
/// but for shift, split, subset, dup, shared results, irregular all-to-all and displacements, with the
/// members of all processes: rank and size, roots, counts and the order of operands are global, and operands
/// are taken in the same way, a single object by value. All members of all processes must make the same calls
/// in the same order.
///
/// Throws what tutti::Member throws, and tutti::Error when MPI reports an error or a process does not answer.
/// A failure of one member releases all members of all processes, and ends the cluster.
///
/// P is the number of members of all processes, m the bytes of the whole vector of one member. Inside a
/// process a call is two exchanges and 2m to 3m bytes read and written by each member; across, it costs what
/// the algorithm among the processes does.
class TUTTI_API Member : public Collectives<Member, detail::BlockingWay> {
public:
    ~Member();
    /// The seat moves on to it.
    Member(Member&& other) noexcept;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    Member& operator=(Member&&) = delete;

    /// The global rank, 0 .. size() - 1: that of the process's first member plus the local rank.
    int rank() const { return rank_; }
    /// The number of members of all processes, P.
    int size() const { return size_; }
    /// This thread's seat in the process's own group, for collectives inside the process.
    tutti::Member& local() { return own_ ? *own_ : *borrowed_; }

private:
    friend class Cluster;
    friend class Collectives<Member, detail::BlockingWay>;

    Member(std::shared_ptr<detail::ClusterState> cluster, tutti::Member* borrowed,
           std::optional<tutti::Member> own);

    void run(const tutti::detail::Call& call, const Options& options) {
        called_from_->show(call.where);
        const std::uint64_t key = options.way.empty() ? tutti::detail::key_of(call) : 0;
        if (key == 0 || !detail::run_again(*seat_, key, call.input, call.output)) {
            const tutti::detail::Call made = call; // so that only this one lies in memory
            run_anew(made, options);
        }
    }
    void run_anew(const tutti::detail::Call& call, const Options& options);

    std::shared_ptr<detail::ClusterState> cluster_;
    std::optional<tutti::Member> own_;
    tutti::Member* borrowed_;
    detail::ClusterSeat* seat_;
    tutti::detail::CalledFrom* called_from_;
    int rank_;
    int size_;
    int exceptions_on_entry_;
};

/// The threads of all processes of a communicator as one group: the local groups, joined over MPI.
///
/// Making one is collective over the communicator, called by one thread of each process, and so is the end of
/// the last handle and member, unless the cluster has failed; both make MPI calls. The communicator is
/// duplicated: whatever else the program sends does not meet the cluster's messages. The groups in which its
/// members meet have the options of the Group or Team. Processes may have
/// different numbers of members. Messages are bytes: all processes must represent numbers alike.
///
/// MPI must have been initialised for at least MPI_THREAD_FUNNELED where there is more than one thread. Under
/// FUNNELED the main thread makes all MPI calls: it must be one of the members of the Group, or the one that
/// calls run() for a Team. Under SERIALIZED and MULTIPLE member 0 of each process makes them; under
/// SERIALIZED no other thread of the program may make MPI calls at the same time.
class TUTTI_API Cluster {
public:
    /// From seats for threads that exist. Throws ArgumentError when MPI is not initialised or already
    /// finalised, when the communicator is null or an inter-communicator, or when its thread level is too
    /// low.
    Cluster(const Group& group, MPI_Comm communicator, const ClusterOptions& options = {});

    /// From a team, which must outlive the cluster.
    Cluster(Team& team, MPI_Comm communicator, const ClusterOptions& options = {});

    /// The number of members of all processes.
    int size() const;
    /// The number of processes.
    int processes() const;
    /// The rank of this one.
    int process() const;
    /// The global rank of this process's member 0.
    int first_rank() const;

    /// One line: processes and members, thread level.
    std::string description() const;

    /// Who is where in this process, as Group::roll_call(), and for which processes it waits.
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;

    /// Takes seat `local_rank` of the group for the calling thread. Throws as Group::join, and ArgumentError
    /// for a cluster made from a Team.
    Member join(int local_rank);

    /// Runs `function` once on every thread of the team, as Team::run. Throws ArgumentError for a cluster
    /// made from a Group, and under MPI_THREAD_FUNNELED when it is not the main thread that calls it.
    void run(const std::function<void(Member&)>& function);

private:
    std::shared_ptr<detail::ClusterState> state_;
    std::optional<Group> group_;
    Team* team_ = nullptr;
};

/// Which CPUs each process should use.
struct Share {
    /// This process's CPUs, as TeamOptions::placement takes them.
    std::string placement = {};
    /// How many there are.
    int cpus = 0;
    /// One line that says how the CPUs of the node were divided, and why.
    std::string note = {};
};

/// Divides the CPUs of each node among its processes of `communicator`, which exchange the masks of CPUs that
/// they are allowed: masks that share no CPU are kept; otherwise the processes get equal parts of all allowed
/// CPUs, in rank order (with more processes than CPUs, one each, in turn). Collective. Throws as Cluster.
TUTTI_API Share divide_cpus(MPI_Comm communicator);

} // namespace tutti::mpi
