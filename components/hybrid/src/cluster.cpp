#include "call/plans.hpp"
#include "group/group_access.hpp"
#include "hybrid/src/cluster_seat.hpp"

#include <tutti/error.hpp>
#include <tutti/mpi.hpp>

#include <set>
#include <system_error>

namespace tutti::v0_1::detail {

using detail::Choice;

namespace {

std::string beginning(const Choice& choice, const PartLayout& part) {
    return std::string(choice.function()) + ": the new cluster of member " +
           std::to_string(part.mates.front());
}

/// Throws if the members of a process are not consecutive.
void divide(PartLayout& part, const Choice& choice, const ClusterState& cluster) {
    for (std::size_t place = 0; place < part.mates.size(); ++place) {
        const int process = cluster.process_of(part.mates[place]);
        if (!part.processes.empty() && part.processes.back() == process) {
            continue;
        }
        if (std::ranges::count(part.processes, process) != 0) {
            throw CombinationError(beginning(choice, part) + " would have member " +
                                   std::to_string(part.mates[place - 1]) + " before member " +
                                   std::to_string(part.mates[place]) +
                                   ", between members of the latter's process: choose an order in which the "
                                   "members of each process are consecutive, such as that of their ranks");
        }
        part.processes.push_back(process);
        part.first_ranks.push_back(static_cast<int>(place));
    }
    part.first_ranks.push_back(static_cast<int>(part.mates.size()));
}

/// Throws if a part of several processes has members in one, but not the one whose thread must make the MPI
/// calls.
void find_leaders(PartLayout& part, const Choice& choice, const std::vector<ShownChoice>& members,
                  const ClusterState& cluster) {
    for (std::size_t process = 0; process < part.processes.size(); ++process) {
        const auto first = part.mates.begin() + part.first_ranks[process];
        const auto end = part.mates.begin() + part.first_ranks[process + 1];
        const auto leader =
            std::find_if(first, end, [&](int rank) { return members[static_cast<std::size_t>(rank)].leads; });
        const bool any_may = part.processes.size() == 1 || cluster.any_thread_speaks();
        if (leader == end && !any_may) {
            throw CombinationError(
                beginning(choice, part) + " has members in several processes, but in process " +
                std::to_string(part.processes[process]) +
                " it lacks the member whose thread makes the MPI calls. Include that member, or "
                "initialise MPI with MPI_THREAD_MULTIPLE");
        }
        part.leaders.push_back(any_may ? 0 : static_cast<int>(leader - first));
    }
}

/// Whether the part has ended, as far as this process can see. All actions of its members came before, though
/// a count of uses orders nothing: is_deserted() does.
bool is_part_over(const ClusterParts::State& part) {
    return part == nullptr || (part.use_count() == 1 && part->group().memory().is_deserted() &&
                               !part->failure().raised() && part->parts().have_ended());
}

} // namespace

std::vector<PartLayout> parts_of(const std::vector<Choice>& choices, const std::vector<ShownChoice>& members,
                                 const ClusterState& cluster) {
    std::set<int> colors;
    for (const Choice& choice : choices) {
        if (choice.color) {
            colors.insert(*choice.color);
        }
    }
    std::vector<PartLayout> parts;
    for (const int color : colors) {
        PartLayout& part = parts.emplace_back();
        part.mates = library::mates_of(color, choices);
        divide(part, choices.front(), cluster);
        find_leaders(part, choices.front(), members, cluster);
    }
    return parts;
}

void ClusterParts::make(ClusterState& whole, const std::vector<PartLayout>& parts) {
    hybrid::MpiChannel& channel = whole.transport().channel();
    std::vector<State> made;
    made.reserve(parts.size());
    for (const PartLayout& part : parts) {
        const bool is_here = std::ranges::count(part.processes, whole.process()) != 0;
        made.push_back(is_here ? std::make_shared<ClusterState>(whole, part) : nullptr);
    }
    // The calls that make communicators cannot be interrupted: from here on no process gives up.
    hybrid::meet(channel);
    close_ended(channel);
    {
        const std::scoped_lock lock(mutex_);
        parts_.insert(parts_.end(), made.begin(), made.end());
    }
    if (whole.failure().raised()) { // before the parts could learn of it
        whole.failure().throw_aborted();
    }
    for (std::size_t index = 0; index < parts.size(); ++index) {
        if (made[index] != nullptr) {
            made[index]->connect(whole, parts[index]);
        }
    }
}

bool ClusterParts::have_ended() const {
    return std::ranges::all_of(parts_, is_part_over);
}

void ClusterParts::close_ended(hybrid::MpiChannel& channel) {
    if (parts_.empty()) {
        return;
    }
    const std::span<int> ended = channel.flags(parts_.size());
    std::ranges::transform(parts_, ended.begin(),
                           [](const State& part) { return is_part_over(part) ? 1 : 0; });
    hybrid::agree(channel, ended);
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (ended[index] != 0 && parts_[index] != nullptr) {
            parts_[index]->close();
        }
    }
    const std::scoped_lock lock(mutex_);
    const State* const first = parts_.data();
    std::erase_if(parts_,
                  [&](const State& part) { return ended[static_cast<std::size_t>(&part - first)] != 0; });
}

void ClusterParts::fail(int member, const std::exception_ptr& cause) noexcept {
    const std::scoped_lock lock(mutex_);
    for (const State& part : parts_) {
        if (part != nullptr) {
            part->fail_with_whole(member, cause);
        }
    }
}

} // namespace tutti::v0_1::detail

namespace tutti::v0_1 {

using detail::Choice;
using detail::PartLayout;
using detail::ShownChoice;

ClusterMember::ClusterMember(std::shared_ptr<detail::ClusterState> cluster, detail::ClusterSeat& seat,
                             Member* borrowed, std::optional<Member> own)
    : start(seat, seat.global_rank(), cluster->size()), prepare(seat, seat.global_rank(), cluster->size()),
      cluster_(std::move(cluster)), own_(std::move(own)), borrowed_(borrowed), seat_(&seat),
      called_from_(&cluster_->board(local().rank()).called_from), rank_(seat.global_rank()),
      size_(cluster_->size()), exceptions_on_entry_(std::uncaught_exceptions()) {
    seat_->sit(own_ && !cluster_->is_part() ? detail::Leaving::for_now : detail::Leaving::for_good);
}

ClusterMember::ClusterMember(ClusterMember&& other) noexcept
    : start(other.start), prepare(other.prepare), cluster_(std::move(other.cluster_)),
      own_(std::move(other.own_)), borrowed_(other.borrowed_), seat_(std::exchange(other.seat_, nullptr)),
      called_from_(other.called_from_), rank_(other.rank_), size_(other.size_),
      exceptions_on_entry_(other.exceptions_on_entry_) {}

ClusterMember& ClusterMember::operator=(ClusterMember&& other) noexcept {
    if (this != &other) {
        std::destroy_at(this);
        std::construct_at(this, std::move(other));
    }
    return *this;
}

ClusterMember::~ClusterMember() {
    leave();
}

void ClusterMember::leave() noexcept {
    if (seat_ == nullptr) {
        return;
    }
    if (std::uncaught_exceptions() > exceptions_on_entry_) {
        seat_->fail(library::unseen_exception());
    }
    seat_->rise();
}

void ClusterMember::run_anew(const detail::Call& call) {
    seat_->run(call);
}

void ClusterMember::abort(std::string_view text) {
    seat_->abort(text);
}

Cluster::Cluster(const Group& group, MPI_Comm communicator, const ClusterOptions& options)
    : state_(detail::ClusterState::open(detail::GroupAccess::of(group), communicator, options, false)),
      group_(group) {}

Cluster::Cluster(Team& team, MPI_Comm communicator, const ClusterOptions& options)
    : state_(detail::ClusterState::open(detail::GroupAccess::of(team), communicator, options, true)),
      team_(&team) {}

int Cluster::size() const {
    return state_->size();
}

int Cluster::processes() const {
    return state_->processes();
}

int Cluster::process() const {
    return state_->process();
}

int Cluster::first_rank() const {
    return state_->first_rank(state_->process());
}

ClusterMember Cluster::join(int local_rank) {
    if (!group_) {
        throw ArgumentError("join: the cluster is made from a Team, whose threads it has: use run()");
    }
    try {
        Member own = group_->join(local_rank);
        return {state_, state_->seat(local_rank), nullptr, std::move(own)};
    } catch (const ArgumentError&) {
        throw; // the thread may join elsewhere
    } catch (...) {
        state_->seat(local_rank).fail(std::current_exception());
        throw;
    }
}

Neighbors ClusterMember::neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                                   SourceLine where) {
    return detail::as_one_call(
        [&] { return detail::exchange_neighbors(*this, sources, destinations, where); });
}

Neighbors ClusterMember::grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const {
    return detail::neighbors_in_grid(rank_, size_, dims, wraps);
}

std::string Cluster::roll_call(RollCallFormat format) const {
    return state_->roll_call(format);
}

namespace {

/// Calls the function as a member; the others receive its failure.
void call_as(ClusterMember& member, detail::ClusterSeat& seat,
             const detail::FunctionOf<ClusterMember>& function) {
    try {
        function(member);
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        seat.fail(thrown);
        if (thrown != nullptr) { // the end of a thread goes on
            seat.throw_if_aborted();
        }
        throw;
    }
    seat.throw_if_aborted();
}

} // namespace

void Cluster::run_member(int local_rank, const detail::FunctionOf<ClusterMember>& function) {
    if (!function) {
        throw ArgumentError("Cluster::run: `function` is empty: pass one that takes a ClusterMember&");
    }
    ClusterMember member = join(local_rank);
    call_as(member, state_->seat(local_rank), function);
}

void Cluster::run_all(const detail::FunctionOf<ClusterMember>& function) {
    if (team_ == nullptr || !function) {
        throw ArgumentError(
            function
                ? "run: the cluster is made from a Group, whose threads are the caller's: pass the rank too"
                : "Cluster::run: `function` is empty: pass one that takes a ClusterMember&");
    }
    state_->expect_all();
    const auto on_team = [&] {
        team_->run([&](Member& local) {
            detail::ClusterSeat& seat = state_->seat(local.rank());
            ClusterMember member(state_, seat, &local, std::nullopt);
            call_as(member, seat, function);
        });
    };
    if (state_->funneled_thread() != detail::FunneledThread::main_caller) {
        return on_team();
    }
    if (!hybrid::is_main_thread()) {
        throw ArgumentError(
            "run: MPI was initialised for MPI_THREAD_FUNNELED: the main thread must call this, "
            "or ask MPI_Init_thread for MPI_THREAD_SERIALIZED");
    }
    std::exception_ptr thrown;
    std::thread starter;
    try {
        starter = std::thread([&] {
            try {
                on_team();
            } catch (...) {
                thrown = std::current_exception();
            }
            state_->main_thread().finish();
        });
    } catch (const std::system_error& error) {
        throw Error(std::string("run: the thread that waits for the team did not start: ") + error.what());
    }
    state_->main_thread().serve();
    starter.join();
    if (thrown != nullptr) {
        std::rethrow_exception(thrown);
    }
}

std::optional<ClusterMember> ClusterMember::split(std::optional<int> color, int key, SourceLine where) {
    return detail::as_one_call([&] { return regroup(library::choice_of(color, key), where); });
}

std::optional<ClusterMember> ClusterMember::subset(std::span<const int> ranks, SourceLine where) {
    return detail::as_one_call([&] { return regroup(library::choice_of(ranks, rank_, size_), where); });
}

ClusterMember ClusterMember::dup(SourceLine where) {
    return detail::as_one_call([&] { return regroup({.color = 0, .duplicates = true}, where).value(); });
}

std::vector<PartLayout> ClusterMember::agree_on_parts(const Choice& choice, SourceLine where) {
    std::vector<ShownChoice> members(static_cast<std::size_t>(size_));
    const ShownChoice mine{choice, seat_->leads_now()};
    detail::Call call = vectors<std::vector<ShownChoice>&>(Collective::allgather, std::span(&mine, 1),
                                                           members, Options{.where = where});
    call.splits = true;
    run(call);
    std::vector<Choice> choices;
    std::ranges::transform(members, std::back_inserter(choices), &ShownChoice::choice);
    return library::judged_by_all(
        [&] {
            library::check_agreement(choices);
            return parts_of(choices, members, *cluster_);
        },
        [&] { run(call); });
}

std::optional<ClusterMember> ClusterMember::regroup(const Choice& choice, SourceLine where) {
    try {
        const std::vector<PartLayout> parts = agree_on_parts(choice, where);
        const auto own_part = std::ranges::find_if(
            parts, [&](const PartLayout& part) { return std::ranges::count(part.mates, rank_) != 0; });
        seat_->make_parts(parts);
        std::optional<Member> own = local().split(choice.color, choice.key, where);
        if (!own) {
            return std::nullopt;
        }
        std::shared_ptr<detail::ClusterState> part =
            cluster_->parts().last(parts.size(), static_cast<std::size_t>(own_part - parts.begin()));
        detail::ClusterSeat& seat = part->seat(own->rank());
        return ClusterMember(std::move(part), seat, nullptr, std::move(own));
    } catch (const CombinationError&) {
        throw; // on all members, which may go on
    } catch (...) {
        // The others count on this member to go through with it.
        library::describe(std::current_exception(), {.rank = rank_, .where = where});
        seat_->fail(std::current_exception());
        throw;
    }
}

} // namespace tutti::v0_1
