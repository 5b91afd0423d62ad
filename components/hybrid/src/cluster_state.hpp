#pragma once

#include "cache_line.hpp"
#include "diagnose/disagreement.hpp"
#include "diagnose/roll_call.hpp"
#include "group/family.hpp"
#include "group/group_state.hpp"
#include "hybrid/src/schedule/transport.hpp"
#include "run/bindings.hpp"
#include "run/prepared.hpp"

#include <tutti/options.hpp>

namespace tutti::v0_1 {
struct ClusterOptions;
}

namespace tutti::v0_1::detail {

class ClusterSeat;
class ClusterState;

/// The part of a split's arguments that a member of a cluster shows the others.
struct ShownChoice {
    detail::Choice choice;
    /// Whether its thread makes the MPI calls of its process.
    bool leads = false;
};

/// The members of a cluster that have chosen one color. The members of a process are consecutive.
struct PartLayout {
    /// Their ranks in the cluster, in the order of the part.
    std::vector<int> mates;
    /// The processes of the cluster that have members in it, in the order of these.
    std::vector<int> processes;
    /// The first member of each of these among the mates, and the end.
    std::vector<int> first_ranks;
    /// Which of the members in each process leads it, among those of the process.
    std::vector<int> leaders;

    /// The place of a process among them.
    int index_of(int process) const {
        return static_cast<int>(std::ranges::find(processes, process) - processes.begin());
    }
    int members_of(int index) const {
        const auto place = static_cast<std::size_t>(index);
        return first_ranks[place + 1] - first_ranks[place];
    }
};

/// The parts by these choices of the members, in the order of their colors. Throws ArgumentError if the
/// members of a process would not be consecutive, or could not make their MPI calls: then on all members.
std::vector<PartLayout> parts_of(const std::vector<detail::Choice>& choices,
                                 const std::vector<ShownChoice>& members, const ClusterState& cluster);

/// The parts that splits have made of a cluster. They end in an order that all processes have agreed on,
/// because that is collective, and members leave whenever they like.
class ClusterParts : Immovable {
public:
    using State = std::shared_ptr<ClusterState>;

    /// Makes those of a split. By the leader of each process, on the thread that makes MPI calls. Processes
    /// make their communicators in the order of the parts, so that none waits for one that waits for it.
    void make(ClusterState& whole, const std::vector<PartLayout>& parts);
    /// The `index`-th of the last `count`; null if it has no members in this process.
    State last(std::size_t count, std::size_t index) const { return parts_[parts_.size() - count + index]; }

    /// Whether they have no members in this process any more, and have not failed.
    bool have_ended() const;
    /// Closes the parts for which that is so in all processes. Collective over the cluster that has the
    /// channel.
    void close_ended(hybrid::MpiChannel& channel);

    /// They fail with the whole, of which this member has failed. By any thread.
    void fail(int member, const std::exception_ptr& cause) noexcept;

private:
    /// For fail().
    std::mutex mutex_;
    /// As long as they are not closed: the same list in all processes.
    std::vector<State> parts_;
};

/// Memory that the members of a process and their leaders share during a call.
struct StagingBuffers {
    std::byte* input = nullptr;
    std::byte* output = nullptr;
};

/// The memory of these. MPI may come to use it for longer than its owner does.
class Staging : Immovable {
public:
    /// Makes the buffers as large at least, where elements of that alignment may lie. While nobody uses them.
    void make_room(std::size_t input_bytes, std::size_t output_bytes, std::size_t alignment) {
        buffers_ = {}; // should there be no memory
        std::byte* const input = memory_->input.at_least(input_bytes, alignment);
        buffers_ = {.input = input, .output = memory_->output.at_least(output_bytes, alignment)};
    }
    const StagingBuffers& buffers() const { return buffers_; }
    void keep() noexcept { hybrid::keep(memory_); }

private:
    struct Memory : hybrid::Keepable {
        run::Memory input;
        run::Memory output;
    };

    StagingBuffers buffers_;
    std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
};

/// How a leader exchanges the operations that are outstanding with the other processes: one after the other,
/// in the order in which they were started, on a channel of their own and from memory of their own. Touched
/// by the leader only.
class StartedQueue : Immovable {
public:
    explicit StartedQueue(int processes) : transport_(processes) {}
    ~StartedQueue() {
        if (transport_.channel().is_stuck()) {
            staging_.keep();
        }
    }

    hybrid::Transport& transport() { return transport_; }

    /// The operation with this number, counted from 1, has been started.
    void add(std::uint64_t number) { transport_.channel().note_begun(number); }
    /// Whether all before it have been exchanged.
    bool has_turn(std::uint64_t number) const { return number == done_ + 1; }
    /// The one that has its turn has been exchanged.
    void finish() { ++done_; }

    Staging& staging() { return staging_; }

private:
    hybrid::Transport transport_;
    std::uint64_t done_ = 0;
    Staging staging_;
};

/// How long members of a process wait for each other, if members that wait for other processes may do so for
/// `timeout`: a moment longer, so that the member with more information is the first to fail.
constexpr std::chrono::milliseconds local_timeout(std::chrono::milliseconds timeout) {
    using std::chrono::milliseconds;
    constexpr milliseconds longest = milliseconds::max() / 2;
    return timeout.count() == 0 || timeout > longest
               ? timeout
               : timeout + std::clamp(timeout / 8, milliseconds(20), milliseconds(50));
}

/// What a member shows of a call: the places of its vectors, for a member that works for all members of its
/// process.
struct alignas(line_bytes) ShownVectors {
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    /// Their starts in the whole vector, in elements.
    std::size_t input_start = 0;
    std::size_t output_start = 0;
    /// For a call that sends blocks: their places, and a digest of these and of the call.
    const run::PrivateLayout* blocks = nullptr;
    std::uint64_t layout_digest = 0;

    // The rest is shown of outstanding operations only.
    std::uint64_t digest = 0;
    const library::CallSignature* call_signature = nullptr;
    /// Whether the member may make MPI calls.
    bool leads = false;
    /// The number of the operation, from 1 on. The member publishes it last.
    mailbox::StdWord number;
};

/// The thread that makes the MPI calls: no other may, at the thread level of this MPI. `fixed_member` is
/// ClusterState::leader().
enum class FunneledThread : std::uint8_t { main_member, main_caller, fixed_member };

/// Everything the members of one process share.
class ClusterState : public std::enable_shared_from_this<ClusterState>, Immovable {
public:
    /// Collective over the communicator, and so is its end. `local` has the options of its groups;
    /// `on_team`: members are threads of a Team. Made by all processes, or by none.
    static std::shared_ptr<ClusterState> open(const detail::GroupState& local, MPI_Comm communicator,
                                              const ClusterOptions& options, bool on_team);
    /// The part that no other process takes part in.
    ClusterState(int members, int processes, bool on_team);
    /// A part of a cluster that has members in this process, to be connected: see ClusterParts::make().
    ClusterState(ClusterState& whole, const PartLayout& part);
    ~ClusterState();

    /// Makes the communicators of a part of `whole`. Collective over the part.
    void connect(const ClusterState& whole, const PartLayout& part);
    /// Frees them, if nothing has failed. Collective.
    void close() noexcept;
    bool is_part() const { return is_part_; }
    ClusterParts& parts() { return parts_; }
    /// Whether any thread may make MPI calls.
    bool any_thread_speaks() const { return thread_level_ == MPI_THREAD_MULTIPLE; }
    /// The member that leads its process from the start, by local rank; others may turn out to.
    int leader() const { return leader_; }

    int members() const { return group_->size(); }
    int processes() const { return static_cast<int>(first_ranks_.size()) - 1; }
    int process() const { return process_; }
    int first_rank(int process) const { return first_ranks_[static_cast<std::size_t>(process)]; }
    int members_of(int process) const { return first_rank(process + 1) - first_rank(process); }
    int size() const { return first_ranks_.back(); }
    /// The process of a global rank.
    int process_of(int rank) const;
    bool is_even() const { return even_; }
    FunneledThread funneled_thread() const { return funneled_thread_; }

    ClusterSeat& seat(int rank) { return *seats_[static_cast<std::size_t>(rank)]; }
    /// The leader's.
    hybrid::Transport& transport() { return transport_; }
    /// The same for outstanding operations: see StartedQueue.
    StartedQueue& started() { return started_; }
    hybrid::MainThread& main_thread() { return *main_thread_; }
    /// Runs work that makes MPI calls where they may be made. The work itself checks whether MPI has been
    /// finalised.
    template <class Work>
    void speak_at_end(Work work) {
        if (funneled_thread_ == FunneledThread::main_caller) {
            main_thread_->run_there(std::ref(work)); // which allocates nothing
        } else {
            work();
        }
    }

    /// Whether there is a thread for speak_at_end(); outside of a run of a team there may be none.
    bool can_speak() { return funneled_thread_ != FunneledThread::main_caller || main_thread_->serves(); }

    /// In which the members of the process meet.
    detail::GroupState& group() const { return *group_; }

    /// The part that each member shows to the others of its process; ordered by the exchanges of enter().
    struct alignas(line_bytes) Board {
        /// So many operations can be outstanding at a time.
        static constexpr std::size_t most_started = 64;
        /// The blocking call; and the outstanding operations, by their numbers in turn.
        ShownVectors blocking;
        std::array<ShownVectors, most_started> started;
        /// By Sequence: the calls that block, the operations that it has started, also persistent ones, and
        /// those that it has prepared.
        std::array<library::ShownCalls<library::CallLog>, 3> calls;
        detail::CalledFrom called_from;
        /// The system's number of the member's thread. Relaxed: for people.
        std::atomic<int> thread{0};
        /// The member's current or last call, and whether it is in it: see progress_in() and
        /// mailbox::inside_bit. Only grows, but for that bit.
        mailbox::StdWord progress;
    };
    /// The progress of a member that comes to a call, and is not in it.
    static constexpr std::uint64_t progress_in(std::uint64_t call) { return call << 1U; }
    Board& board(int rank) { return boards_[static_cast<std::size_t>(rank)]; }
    /// The sequence of the cluster's calls to which a stalled call of its group belongs.
    static library::Sequence sequence_of(const library::Stall& stall) {
        using library::Sequence;
        return stall.sequence == Sequence::blocking ? Sequence::blocking : Sequence::nonblocking;
    }
    /// The calls of a member, as far as it shows them. By any thread.
    library::CallHistory history(int rank, library::Sequence sequence) const;
    /// The same by rank in the cluster.
    library::Histories histories() const;
    /// The difference between the calls of the two members, or nothing.
    std::optional<std::string> difference(const library::Stall& stall) const;
    /// The call of each member of the process. By any thread.
    library::RollCall look();
    /// See Cluster::roll_call. By any thread.
    std::string roll_call(RollCallFormat format);
    /// How long calls may wait for others, unless they have timeouts of their own.
    std::chrono::milliseconds timeout() const { return timeout_; }

    /// Whether there are fewer CPUs on this node than members.
    bool is_crowded() const { return members_on_node_ > cpus_on_node_; }
    /// Whether in every process one thread might as well do everything: it is the only one, or the members
    /// share CPUs.
    bool all_go_solo() const { return all_go_solo_; }

    /// The staging buffers for calls of one parity: while one is still being read the next one may be
    /// written.
    const StagingBuffers& staging(unsigned parity) const { return staging_[parity].buffers(); }
    /// Makes the staging buffers larger, where elements of that alignment may lie. While nobody uses them.
    void enlarge(std::size_t input_bytes, std::size_t output_bytes, std::size_t alignment);

    /// The threads of a team, which left for good after the last run, come again. Before they start.
    void expect_all();

    library::Failure& failure() { return failure_; }
    /// Lasts until the end of the process.
    void keep_for_good() { kept_ = shared_from_this(); }
    /// Records that a member has failed, by local rank, and releases the others of this process.
    void fail(int rank, const std::exception_ptr& cause);
    /// The same for a member of the cluster that this is a part of.
    void fail_with_whole(int rank_in_whole, const std::exception_ptr& cause) noexcept;
    /// Ends a call of a member that has failed: returns when nobody of this process is in one any more.
    void leave_failed_call(int rank);
    /// Sends the failure to the other processes, once. By the thread that may make MPI calls.
    void tell_others(const std::exception_ptr& cause) noexcept;

private:
    void join_processes(const detail::GroupState& local, MPI_Comm communicator,
                        const ClusterOptions& options);
    /// The channels of blocking and of nonblocking calls.
    std::array<hybrid::MpiChannel*, 2> channels() {
        return {&transport_.channel(), &started_.transport().channel()};
    }
    void set_limits();
    void seat_members();
    std::unique_ptr<library::Diagnosis> diagnosis();
    void end() noexcept;
    std::pair<int, int> fewest_and_most() const;
    void exchange_sizes(int members);
    void look_at_node();
    /// For so many threads of this node, under the options of `config`.
    mailbox::WaitPolicy wait_policy_of(int threads, const library::GroupConfig& config) const;
    library::GroupConfig shared(library::GroupConfig config) const;

    std::chrono::milliseconds timeout_{0};
    int process_ = 0;
    std::vector<int> first_ranks_;
    bool even_ = true;
    int thread_level_ = 0;
    bool on_team_;
    FunneledThread funneled_thread_ = FunneledThread::fixed_member;
    bool is_part_ = false;
    /// The rank in the whole of this process's member 0 there, if this is a part.
    int first_of_whole_ = 0;
    int leader_ = 0;
    /// Its own communicator, which carries failures.
    hybrid::MpiChannel control_;
    hybrid::FailureChannel failure_channel_;
    int processes_on_node_ = 1;
    int members_on_node_ = 1;
    int cpus_on_node_ = 1;
    bool all_go_solo_ = false;
    hybrid::Transport transport_;
    StartedQueue started_;
    /// The configuration of the group or team.
    library::GroupConfig config_;
    std::shared_ptr<detail::GroupState> group_;
    std::vector<Board> boards_;
    std::vector<std::unique_ptr<ClusterSeat>> seats_;
    std::array<Staging, 2> staging_;
    library::Failure failure_;
    /// The main thread of the whole, if this is a part.
    std::shared_ptr<hybrid::MainThread> main_thread_ = std::make_shared<hybrid::MainThread>();
    ClusterParts parts_;
    std::atomic_flag told_;
    std::shared_ptr<ClusterState> kept_;
    /// Whether all processes have made it.
    bool is_open_ = false;
    /// The last member: it refers to the others.
    std::optional<library::RollCallListed> listed_;
};

} // namespace tutti::v0_1::detail
