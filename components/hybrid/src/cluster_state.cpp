#include "hybrid/src/cluster_state.hpp"

#include "choose/group_config.hpp"
#include "hybrid/src/cluster_seat.hpp"

#include <tutti/error.hpp>
#include <tutti/mpi.hpp>

#include <numeric>

namespace tutti::v0_1::detail {

using hybrid::check;

namespace {

/// `local`: the timeout of the group or team, 0 if none is set.
std::chrono::milliseconds timeout_of(const ClusterOptions& options, std::chrono::milliseconds local) {
    return library::timeout_or(options.timeout, "Cluster: ClusterOptions::timeout",
                               local.count() != 0 ? local : std::chrono::minutes(10));
}

/// The communicator, if a cluster can be made of it.
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

std::shared_ptr<ClusterState> ClusterState::open(const detail::GroupState& local, MPI_Comm communicator,
                                                 const ClusterOptions& options, bool on_team) {
    int processes = 0;
    check(MPI_Comm_size(checked(communicator, local.size() > 1 || on_team, options), &processes),
          "MPI_Comm_size");
    std::shared_ptr<ClusterState> made;
    hybrid::together(communicator,
                     [&] { made = std::make_shared<ClusterState>(local.size(), processes, on_team); });
    made->join_processes(local, communicator, options);
    return made;
}

void ClusterState::join_processes(const detail::GroupState& local, MPI_Comm communicator,
                                  const ClusterOptions& options) {
    timeout_ = timeout_of(options, local.timeout());
    set_limits();
    control_.open(communicator);
    failure_channel_.open(control_.communicator());
    exchange_sizes(local.size());
    look_at_node();
    for (hybrid::MpiChannel* const channel : channels()) {
        channel->open(control_.communicator());
    }
    hybrid::together(control_.communicator(), [&] {
        config_ = local.config();
        seat_members();
    });
    is_open_ = true;
}

void ClusterState::set_limits() {
    channels()[0]->set_other(*channels()[1]);
    channels()[1]->set_other(*channels()[0]);
    control_.set_limits(timeout_, failure_channel_, failure_);
    for (hybrid::MpiChannel* const channel : channels()) {
        channel->set_limits(timeout_, failure_channel_, failure_);
    }
}

void ClusterState::seat_members() {
    group_ = std::make_shared<detail::GroupState>(members_of(process_), shared(config_),
                                                  [this](auto& /*group*/) { return diagnosis(); });
    group_->failure().count_from(first_rank(process_), first_of_whole_);
    for (int rank = 0; rank < members(); ++rank) {
        seats_.push_back(std::make_unique<ClusterSeat>(*this, rank));
    }
    // While leaders wait for messages, all others wait for them.
    for (hybrid::MpiChannel* const channel : channels()) {
        channel->set_wait_policy(wait_policy_of(processes_on_node_, group_->config()));
    }
    listed_.emplace([this](RollCallFormat format) { return roll_call(format); });
}

ClusterState::ClusterState(ClusterState& whole, const PartLayout& part)
    : ClusterState(part.members_of(part.index_of(whole.process_)), static_cast<int>(part.processes.size()),
                   whole.on_team_) {
    is_part_ = true;
    first_of_whole_ = whole.first_rank(whole.process_);
    timeout_ = whole.timeout_;
    first_ranks_ = part.first_ranks;
    process_ = part.index_of(whole.process_);
    leader_ = part.leaders[static_cast<std::size_t>(process_)];
    thread_level_ = whole.thread_level_;
    if (whole.funneled_thread_ == FunneledThread::main_caller && processes() > 1) {
        funneled_thread_ = FunneledThread::main_caller;
    }
    main_thread_ = whole.main_thread_;
    const auto [fewest, most] = fewest_and_most();
    even_ = fewest == most;
    // The other members of the whole want the CPUs as well.
    processes_on_node_ = whole.processes_on_node_;
    members_on_node_ = whole.members_on_node_;
    cpus_on_node_ = whole.cpus_on_node_;
    all_go_solo_ = whole.all_go_solo_ || most == 1;
    set_limits();
    std::vector<int> mates;
    mates.reserve(static_cast<std::size_t>(members_of(process_)));
    for (int rank = 0; rank < members_of(process_); ++rank) {
        mates.push_back(part.mates[static_cast<std::size_t>(first_rank(process_) + rank)] -
                        whole.first_rank(whole.process_));
    }
    config_ = library::config_for_members(whole.config_, mates);
    seat_members();
    whole.group_->adopt(group_, mates);
}

void ClusterState::connect(const ClusterState& whole, const PartLayout& part) {
    constexpr int unused_tag = hybrid::FailureChannel::tag + 1;
    if (processes() > 1) {
        control_.open(whole.control_.communicator(), part.processes, unused_tag);
        failure_channel_.open(control_.communicator());
        for (hybrid::MpiChannel* const channel : channels()) {
            channel->open(control_.communicator());
        }
    }
    is_open_ = true;
}

ClusterState::~ClusterState() {
    if (!is_part_) { // the whole closes its parts
        end();
    }
    if (transport_.channel().is_stuck()) {
        std::ranges::for_each(staging_, &Staging::keep);
    }
}

/// Ends a cluster that is no part.
void ClusterState::end() noexcept {
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
        tell_others(failure_.raised() ? failure_.first() : library::unseen_exception());
    }
    if (!fails && finalised == 0) {
        close();
    }
}

void ClusterState::close() noexcept {
    try {
        parts_.close_ended(transport_.channel());
        for (hybrid::MpiChannel* const channel : channels()) {
            channel->set_timeout(timeout_); // the last call may have had its own
            channel->close();
        }
        control_.close();
    } catch (const std::exception&) { // the communicators stay, and nobody waits for this process
        tell_others(std::current_exception());
    }
}

void ClusterState::exchange_sizes(int members) {
    MPI_Comm communicator = control_.communicator();
    process_ = control_.rank();
    check(MPI_Query_thread(&thread_level_), "MPI_Query_thread");
    const auto sizes = std::span(first_ranks_).subspan(1); // for now
    check(MPI_Allgather(&members, 1, MPI_INT, sizes.data(), 1, MPI_INT, communicator), "MPI_Allgather");
    std::inclusive_scan(sizes.begin(), sizes.end(), sizes.begin());
    const auto [fewest, most] = fewest_and_most();
    even_ = fewest == most;
    if (thread_level_ < MPI_THREAD_SERIALIZED) {
        funneled_thread_ = on_team_ ? FunneledThread::main_caller : FunneledThread::main_member;
    }
}

/// Members that a process has.
std::pair<int, int> ClusterState::fewest_and_most() const {
    int fewest = size();
    int most = 0;
    for (int process = 0; process < processes(); ++process) {
        fewest = std::min(fewest, members_of(process));
        most = std::max(most, members_of(process));
    }
    return {fewest, most};
}

void ClusterState::look_at_node() {
    MPI_Comm communicator = control_.communicator();
    const hybrid::Node node(communicator);
    processes_on_node_ = static_cast<int>(node.cpus().size());
    members_on_node_ = node.total(members_of(process_));
    cpus_on_node_ = std::max(1, static_cast<int>(node.all_cpus().size()));
    const int goes_solo = is_crowded() || members_of(process_) == 1 ? 1 : 0;
    int all = 0;
    check(MPI_Allreduce(&goes_solo, &all, 1, MPI_INT, MPI_MIN, communicator), "MPI_Allreduce");
    all_go_solo_ = all != 0;
}

mailbox::WaitPolicy ClusterState::wait_policy_of(int threads, const library::GroupConfig& config) const {
    return config.options.wait == Wait::automatic ? library::wait_policy_for(threads, cpus_on_node_)
                                                  : config.wait_policy;
}

/// The configuration of a group of this process if other processes want the CPUs as well: measurements
/// without them are then useless.
library::GroupConfig ClusterState::shared(library::GroupConfig config) const {
    const int share = std::max(1, cpus_on_node_ * members_of(process_) / members_on_node_);
    if (share < config.cpus) {
        config.cpus = share;
        config.choices = {};
    }
    config.wait_policy = wait_policy_of(members_on_node_, config);
    config.timeout = local_timeout(timeout_);
    config.bindings = {}; // they do not cover the other processes'
    return config;
}

int ClusterState::process_of(int rank) const {
    return static_cast<int>(std::ranges::upper_bound(first_ranks_, rank) - first_ranks_.begin()) - 1;
}

void ClusterState::enlarge(std::size_t input_bytes, std::size_t output_bytes, std::size_t alignment) {
    for (Staging& staging : staging_) {
        staging.make_room(input_bytes, output_bytes, alignment);
    }
}

void ClusterState::expect_all() {
    group_->memory().expect_all();
}

void ClusterState::fail(int rank, const std::exception_ptr& cause) {
    const int rank_in_all = first_rank(process_) + rank;
    if (!group_->failure().raised()) { // which has been reported
        failure_.report(rank_in_all, cause);
    }
    failure_.raise(rank_in_all, cause);
    parts_.fail(rank_in_all, cause);
    group_->fail_reported(rank, cause);
}

/// The family of its group fails with that of the whole.
void ClusterState::fail_with_whole(int rank_in_whole, const std::exception_ptr& cause) noexcept {
    failure_.raise(rank_in_whole, cause, " of a cluster that this one was made of", -1);
    parts_.fail(rank_in_whole, cause);
}

void ClusterState::leave_failed_call(int rank) {
    library::leave_failed_call(boards_, board(rank), [](int /*inside*/) {});
}

void ClusterState::tell_others(const std::exception_ptr& cause) noexcept {
    if (told_.test_and_set(std::memory_order_relaxed)) { // relaxed: it only chooses the sender
        return;
    }
    failure_channel_.tell(cause);
}

} // namespace tutti::v0_1::detail
