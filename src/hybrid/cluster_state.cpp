#include "hybrid/cluster_state.hpp"

#include "choose/wait_choice.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "hybrid/channel/cpu_division.hpp"
#include "hybrid/channel/together.hpp"
#include "hybrid/cluster_seat.hpp"
#include "wait/failed_call.hpp"

#include <tutti/error.hpp>

#include <exception>
#include <numeric>
#include <span>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

using hybrid::check;

namespace {

std::string level_name(int level) {
    return level == MPI_THREAD_MULTIPLE     ? "MPI_THREAD_MULTIPLE"
           : level == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
           : level == MPI_THREAD_FUNNELED   ? "MPI_THREAD_FUNNELED"
                                            : "MPI_THREAD_SINGLE";
}

/// The communicator, if a cluster can be made of it.
/// `local`: the timeout of the group or team, 0 if none is set.
std::chrono::milliseconds timeout_of(const ClusterOptions& options, std::chrono::milliseconds local) {
    return tutti::engine::timeout_or(options.timeout, "Cluster: ClusterOptions::timeout",
                                     local.count() != 0 ? local : std::chrono::minutes(10));
}

MPI_Comm checked(MPI_Comm communicator, bool has_threads, const ClusterOptions& options) {
    hybrid::require_communicator("Cluster", communicator);
    int level = 0;
    check(MPI_Query_thread(&level), "MPI_Query_thread");
    if (has_threads && level == MPI_THREAD_SINGLE) {
        throw ArgumentError(
            "Cluster: MPI was initialised for MPI_THREAD_SINGLE, but there is more than one thread: "
            "ask MPI_Init_thread for MPI_THREAD_FUNNELED or more");
    }
    static_cast<void>(timeout_of(options, {})); // throws if it is wrong
    return communicator;
}

} // namespace

ClusterState::ClusterState(int members, int processes, bool on_team)
    : first_ranks_(static_cast<std::size_t>(processes) + 1), on_team_(on_team), control_(processes),
      failure_channel_(processes), transport_(processes), started_(processes),
      boards_(static_cast<std::size_t>(members)) {
    failure_.keep_first();
}

std::shared_ptr<ClusterState> ClusterState::open(const tutti::detail::GroupState& local,
                                                 MPI_Comm communicator, const ClusterOptions& options,
                                                 bool on_team) {
    int processes = 0;
    check(MPI_Comm_size(checked(communicator, local.size() > 1 || on_team, options), &processes),
          "MPI_Comm_size");
    std::shared_ptr<ClusterState> made;
    hybrid::together(communicator,
                     [&] { made = std::make_shared<ClusterState>(local.size(), processes, on_team); });
    made->join_processes(local, communicator, options);
    return made;
}

void ClusterState::join_processes(const tutti::detail::GroupState& local, MPI_Comm communicator,
                                  const ClusterOptions& options) {
    timeout_ = timeout_of(options, local.timeout());
    control_.open(communicator);
    control_.set_limits(timeout_, failure_channel_, failure_);
    failure_channel_.open(control_.communicator());
    exchange_sizes(local.size());
    look_at_node();
    for (hybrid::MpiChannel* const channel : channels()) {
        channel->open(control_.communicator());
        channel->set_limits(timeout_, failure_channel_, failure_);
    }
    channels()[0]->set_other(*channels()[1]);
    channels()[1]->set_other(*channels()[0]);
    hybrid::together(control_.communicator(), [&] {
        const tutti::engine::GroupConfig config = shared(local.config());
        group_ =
            std::make_shared<tutti::detail::GroupState>(local.size(), config, tutti::engine::diagnosis_of);
        for (int rank = 0; rank < local.size(); ++rank) {
            seats_.push_back(std::make_unique<ClusterSeat>(*this, rank));
        }
        // While leaders wait for messages, all others wait for them.
        for (hybrid::MpiChannel* const channel : channels()) {
            channel->set_patience(wait_policy_of(processes_on_node_, config));
        }
        listed_.emplace([this](RollCallFormat format) { return roll_call(format); });
    });
    is_open_ = true;
}

ClusterState::~ClusterState() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (!is_open_) {
        control_.close_unused();
        for (hybrid::MpiChannel* const channel : channels()) {
            channel->close_unused();
        }
        return;
    }
    const bool fails = failure_.raised() || std::uncaught_exceptions() > 0;
    if (fails) {
        tell_others(failure_.raised() ? failure_.first() : tutti::engine::unseen_exception());
    }
    bool all_closed = true;
    for (hybrid::MpiChannel* const channel : channels()) {
        if (!fails && finalised == 0 && all_closed) {
            channel->close();
        }
        all_closed = all_closed && channel->is_closed();
    }
    if (all_closed) {
        control_.close();
    }
    if (transport_.channel().is_stuck()) {
        hybrid::keep(memory_);
    }
}

void ClusterState::exchange_sizes(int members) {
    MPI_Comm communicator = control_.communicator();
    process_ = control_.rank();
    check(MPI_Query_thread(&thread_level_), "MPI_Query_thread");
    const auto sizes = std::span(first_ranks_).subspan(1); // for now
    check(MPI_Allgather(&members, 1, MPI_INT, sizes.data(), 1, MPI_INT, communicator), "MPI_Allgather");
    const auto [fewest, most] = std::ranges::minmax(sizes);
    even_ = fewest == most;
    std::inclusive_scan(sizes.begin(), sizes.end(), sizes.begin());
    if (thread_level_ < MPI_THREAD_SERIALIZED) {
        funneled_thread_ = on_team_ ? FunneledThread::main_caller : FunneledThread::main_member;
    }
}

void ClusterState::look_at_node() {
    MPI_Comm communicator = control_.communicator();
    const hybrid::Node node(communicator);
    processes_on_node_ = static_cast<int>(node.cpus().size());
    members_on_node_ = node.total(members_of(process_));
    cpus_on_node_ = std::max(1, static_cast<int>(node.all_cpus().size()));
    const bool goes_solo = is_crowded() || members_of(process_) == 1;
    const std::array<int, 2> mine{goes_solo ? 1 : 0, goes_solo ? 0 : 1};
    std::array<int, 2> all{};
    check(MPI_Allreduce(mine.data(), all.data(), 2, MPI_INT, MPI_MIN, communicator), "MPI_Allreduce");
    all_go_solo_ = all[0] != 0;
    have_cpus_ = all[1] != 0;
}

mailbox::WaitPolicy ClusterState::wait_policy_of(int threads,
                                                 const tutti::engine::GroupConfig& config) const {
    return config.options.wait == Wait::automatic ? tutti::engine::wait_policy_for(threads, cpus_on_node_)
                                                  : config.wait_policy;
}

/// What a group of this process is set to where other processes want the CPUs as well: what was measured
/// without them says nothing then.
tutti::engine::GroupConfig ClusterState::shared(tutti::engine::GroupConfig config) const {
    const int share = std::max(1, cpus_on_node_ * members_of(process_) / members_on_node_);
    if (share < config.cpus) {
        config.cpus = share;
        config.choices = {};
    }
    config.wait_policy = wait_policy_of(members_on_node_, config);
    config.timeout = local_timeout(timeout_);
    config.bindings = {}; // say nothing of the other processes'
    return config;
}

int ClusterState::process_of(int rank) const {
    return static_cast<int>(std::ranges::upper_bound(first_ranks_, rank) - first_ranks_.begin()) - 1;
}

std::string ClusterState::description() const {
    return std::to_string(size()) + " members in " + std::to_string(processes()) + " processes, " +
           level_name(thread_level_);
}

void ClusterState::enlarge(std::size_t input_bytes, std::size_t output_bytes, std::size_t alignment) {
    for (std::size_t parity = 0; parity < staging_buffers_.size(); ++parity) {
        staging_buffers_[parity].input = staging_buffers_[parity].output =
            nullptr; // should there be no memory
        staging_buffers_[parity].input = memory_->rooms[2 * parity].at_least(input_bytes, alignment);
        staging_buffers_[parity].output = memory_->rooms[2 * parity + 1].at_least(output_bytes, alignment);
    }
}

void ClusterState::expect_all() {
    group_->memory().expect_all();
}

void ClusterState::fail(int rank, const std::exception_ptr& cause) {
    const int rank_in_all = first_rank(process_) + rank;
    failure_.report(rank_in_all, cause);
    failure_.raise(rank_in_all, cause);
    group_->fail_reported(rank_in_all, cause); // what the others are told has the ranks of the cluster
}

void ClusterState::leave_failed_call(int rank) {
    tutti::engine::leave_failed_call(boards_, board(rank), [](int /*inside*/) {});
}

void ClusterState::tell_others(const std::exception_ptr& cause) noexcept {
    if (told_.test_and_set(std::memory_order_relaxed)) { // relaxed: it only chooses who tells
        return;
    }
    failure_channel_.tell(cause);
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
