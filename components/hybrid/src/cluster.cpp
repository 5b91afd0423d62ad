#include "call/plans.hpp"
#include "group/seat.hpp"
#include "hybrid/src/cluster_seat.hpp"
#include "hybrid/src/cluster_state.hpp"

#include <tutti/error.hpp>
#include <tutti/mpi.hpp>

#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace tutti::inline TUTTI_NAMESPACE::mpi {

Member::Member(std::shared_ptr<detail::ClusterState> cluster, detail::ClusterSeat& seat,
               tutti::Member* borrowed, std::optional<tutti::Member> own)
    : start(seat, seat.global_rank(), cluster->size()), prepare(seat, seat.global_rank(), cluster->size()),
      cluster_(std::move(cluster)), own_(std::move(own)), borrowed_(borrowed), seat_(&seat),
      called_from_(&cluster_->board(local().rank()).called_from), rank_(seat.global_rank()),
      size_(cluster_->size()), exceptions_on_entry_(std::uncaught_exceptions()) {
    seat_->sit(own_ && !cluster_->is_part() ? tutti::detail::Leaving::for_now
                                            : tutti::detail::Leaving::for_good);
}

Member::Member(Member&& other) noexcept
    : start(other.start), prepare(other.prepare), cluster_(std::move(other.cluster_)),
      own_(std::move(other.own_)), borrowed_(other.borrowed_), seat_(std::exchange(other.seat_, nullptr)),
      called_from_(other.called_from_), rank_(other.rank_), size_(other.size_),
      exceptions_on_entry_(other.exceptions_on_entry_) {}

Member& Member::operator=(Member&& other) noexcept {
    if (this != &other) {
        std::destroy_at(this);
        std::construct_at(this, std::move(other));
    }
    return *this;
}

Member::~Member() {
    leave();
}

void Member::leave() noexcept {
    if (seat_ == nullptr) {
        return;
    }
    if (std::uncaught_exceptions() > exceptions_on_entry_) {
        seat_->fail(tutti::engine::unseen_exception());
    }
    seat_->rise();
}

void Member::run_anew(const tutti::detail::Call& call, const Options& options) {
    seat_->run(call, options);
}

void Member::abort(std::string_view text) {
    seat_->abort(text);
}

Cluster::Cluster(const Group& group, MPI_Comm communicator, const ClusterOptions& options)
    : state_(detail::ClusterState::open(*group.state_, communicator, options, false)), group_(group) {}

Cluster::Cluster(Team& team, MPI_Comm communicator, const ClusterOptions& options)
    : state_(detail::ClusterState::open(team.state(), communicator, options, true)), team_(&team) {}

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

std::string Cluster::description() const {
    return state_->description();
}

Member Cluster::join(int local_rank) {
    if (!group_) {
        throw ArgumentError("join: the cluster is made from a Team, whose threads it has: use run()");
    }
    try {
        tutti::Member own = group_->join(local_rank);
        return {state_, state_->seat(local_rank), nullptr, std::move(own)};
    } catch (const ArgumentError&) {
        throw; // the thread may join elsewhere
    } catch (...) {
        state_->seat(local_rank).fail(std::current_exception());
        throw;
    }
}

Neighbors Member::neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                            SourceLine where) {
    return tutti::detail::exchange_neighbors(*this, sources, destinations, where);
}

Neighbors Member::grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const {
    return tutti::detail::neighbors_in_grid(rank_, size_, dims, wraps);
}

std::string Cluster::roll_call(RollCallFormat format) const {
    return state_->roll_call(format);
}

void Cluster::run(const std::function<void(Member&)>& function) {
    if (team_ == nullptr) {
        throw ArgumentError(
            "run: the cluster is made from a Group, whose threads are the caller's: use join()");
    }
    state_->expect_all();
    const auto on_team = [&] {
        team_->run([&](tutti::Member& local) {
            Member member(state_, state_->seat(local.rank()), &local, std::nullopt);
            try {
                function(member);
            } catch (...) { // the others receive the failure
                member.seat_->fail(std::current_exception());
                throw;
            }
            member.seat_->throw_if_aborted();
        });
    };
    if (state_->funneled_thread() != detail::FunneledThread::main_caller) {
        return on_team();
    }
    int is_main = 0;
    hybrid::check(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
    if (is_main == 0) {
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

} // namespace tutti::inline TUTTI_NAMESPACE::mpi
