#include "hybrid/seat.hpp"

#include "algorithm/registry.hpp"
#include "execute/claim.hpp"
#include "execute/failure.hpp"
#include "execute/select.hpp"
#include "hybrid/algorithms.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <utility>

namespace tutti::mpi::detail {

using hybrid::Way;
using tutti::detail::Kind;

namespace {

/// Whether a vector is divided by rank.
bool divides(Kind kind) {
    return kind == Kind::reduce_scatter || kind == Kind::allgather || kind == Kind::gather ||
           kind == Kind::scatter;
}

/// Most calls name nothing, which is said here without a call.
bool are_same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && (a.empty() || a == b);
}

} // namespace

void Seat::sit(tutti::detail::Leaving leaving) {
    leaving_ = leaving;
    knows_leader_ = cluster_.speaker() != Speaker::main_member;
    leader_ = 0;
    check_failure();
    cluster_.enter()->take_seat(rank_);
    try {
        cluster_.leave()->take_seat(rank_);
    } catch (...) {
        cluster_.enter()->seat(rank_).release();
        throw;
    }
}

/// A cluster that has failed stays so; the other processes may not know yet.
void Seat::check_failure() {
    if (cluster_.failure().raised()) {
        tell_others(cluster_.failure().first());
        cluster_.failure().throw_aborted();
    }
}

void Seat::rise() {
    for (auto* group : {cluster_.enter().get(), cluster_.leave().get()}) {
        if (leaving_ == tutti::detail::Leaving::for_good) {
            // Release: pairs with the look of a waiting member.
            group->presence(rank_).away.store(true, std::memory_order_release);
            group->board(rank_).bell.ring_if_needed();
        }
        group->seat(rank_).release();
    }
}

void Seat::fail(const std::exception_ptr& cause) {
    cluster_.fail(rank_, cause);
    tell_others(cause);
}

/// Lets the other processes know, if this is the thread that may.
void Seat::tell_others(const std::exception_ptr& cause) {
    int is_main = 0;
    if (knows_leader_ ? leads() : MPI_Is_thread_main(&is_main) == MPI_SUCCESS && is_main != 0) {
        speak([&] { cluster_.tell_others(cause); });
    }
}

bool Seat::is_prepared_for(const Call& call, const Options& options) const {
    const Call& last = call_;
    return is_prepared_ && call.kind == last.kind && call.type == last.type && call.op == last.op &&
           call.in_place == last.in_place && call.element_bytes == last.element_bytes &&
           call.element_align == last.element_align && call.input_count == last.input_count &&
           call.output_count == last.output_count && call.kernels == last.kernels && call.counts == nullptr &&
           call.root == last.root && call.commutative == last.commutative && call.serial == serial_ &&
           are_same(options.algorithm, algorithm_) && are_same(options.way, way_) &&
           options.leaders == wanted_leaders_ && tutti::execute::aliasing_of(call, shape_) == shape_.aliasing;
}

void Seat::set_offsets() {
    const auto members = static_cast<std::size_t>(cluster_.size());
    for (std::size_t rank = 0; divides(call_.kind) && call_.counts == nullptr && rank <= members; ++rank) {
        offsets_[rank] = rank * shape_.block;
    }
    process_offsets_.clear();
    if (!divides(call_.kind) && call_.kind != Kind::alltoall) {
        process_offsets_.assign({0, shape_.total});
        return;
    }
    for (int process = 0; process <= cluster_.processes(); ++process) {
        const auto first = static_cast<std::size_t>(cluster_.first_rank(process));
        // What this process sends to that one: a block from each member here to each member there.
        const std::size_t from_all = static_cast<std::size_t>(cluster_.members()) * shape_.block;
        process_offsets_.push_back(call_.kind == Kind::alltoall ? first * from_all : offsets_[first]);
    }
}

/// Slices for the carriers on cache lines, and nothing for other members.
void Seat::set_slices() {
    const auto members = static_cast<std::size_t>(cluster_.members());
    const auto parts = claim_.way == Way::lane ? static_cast<std::size_t>(carriers_) : members;
    constexpr std::size_t line_elements = 64;
    const std::size_t each =
        ((shape_.total + parts - 1) / parts + line_elements - 1) / line_elements * line_elements;
    slices_.clear();
    for (std::size_t member = 0; member < members; ++member) {
        const std::size_t first = std::min(member * each, shape_.total);
        const std::size_t end = member < parts ? std::min(first + each, shape_.total) : first;
        slices_.push_back(end - first);
    }
}

void Seat::set_course() {
    const bool separate = shape_.aliasing == tutti::execute::Aliasing::separate;
    // MPI's own collectives do not take one vector for two.
    const bool moves =
        call_.kind == Kind::broadcast ||
        (call_.kind == Kind::allgather && (separate || claim_.algorithm != hybrid::library_algorithm));
    const bool reduces =
        call_.kind == Kind::reduce || call_.kind == Kind::allreduce || call_.kind == Kind::reduce_scatter;
    is_serial_ = claim_.algorithm == hybrid::serial_algorithm;
    is_pipelined_ = claim_.way == Way::pipelined;
    is_cut_ = puts_parts();
    is_solo_ = goes_solo();
    sends_directly_ = alone() && (reduces || moves) && !is_cut_ && !is_solo_ && !is_serial_;
    const bool has_result = call_.kind == Kind::allreduce || (call_.kind == Kind::reduce && is_root());
    receives_directly_ = sends_directly_ && (moves || (has_result && separate));
}

void Seat::prepare(const Call& call, const Options& options) {
    is_prepared_ = false;
    const auto members = static_cast<std::size_t>(cluster_.size());
    offsets_.resize(members + 1);
    shape_ = tutti::execute::checked_shape(call, global_rank(), cluster_.size(), offsets_.data(), nullptr);
    call_ = call;
    const Way way = hybrid::choose_way(call, bytes(shape_.total), options.way, cluster_.crew());
    carriers_ = hybrid::carriers_for(way, options.leaders, cluster_.crew());
    Call among_processes = call;
    if (call.kind == Kind::scan) {
        among_processes.kind = Kind::exscan; // a process adds its members' prefixes to what comes before it
    }
    const std::uint32_t algorithm =
        hybrid::choose_algorithm(among_processes, options.algorithm,
                                 {.processes = cluster_.processes(),
                                  .bytes = bytes(shape_.total) / static_cast<std::size_t>(carriers_),
                                  .even = cluster_.is_even()});
    const bool rooted = is_rooted(tutti::execute::collective_of(call.kind));
    claim_ = {.call = 0,
              .elements = shape_.total,
              .counts = call.counts != nullptr ? tutti::execute::digest(call.counts->span()) : 0,
              .element_bytes = static_cast<std::uint32_t>(call.element_bytes),
              .root = rooted ? call.root : 0,
              .algorithm = algorithm,
              .kind = call.kind,
              .type = call.type,
              .op = call.op,
              .way = way};
    const bool reduces = tutti::schedule::reduces(tutti::execute::collective_of(call.kind));
    kernels_ = call.kernels != nullptr ? call.kernels
               : reduces               ? &tutti::detail::builtin(call.type, call.op)
                                       : nullptr;
    set_offsets();
    set_slices();
    set_course();
    patience_ = cluster_.patience_of(carriers_);
    algorithm_ = options.algorithm;
    way_ = options.way;
    wanted_leaders_ = options.leaders;
    serial_ = call.serial;
    call_.serial = false; // inside a process everything is
    call_.algorithm = {};
    call_.counts = nullptr;
    is_prepared_ = call.counts == nullptr;
}

void Seat::run(const Call& call, const Options& options) {
    if (!is_prepared_for(call, options)) {
        try {
            prepare(call, options);
        } catch (const ArgumentError&) {
            throw; // the member may call again
        } catch (...) {
            fail(std::current_exception());
            throw;
        }
    }
    call_.input = call.input;
    call_.output = call.output;
    call_.state = call.state;
    ++calls_;
    try {
        enter_call();
        run_prepared();
    } catch (const Aborted&) {
        // One that comes from this process has been recorded by whoever failed, or will be.
        const bool local = cluster_.failure().raised() || cluster_.enter()->failure().raised() ||
                           cluster_.leave()->failure().raised();
        leave_failed_call(std::current_exception(), !local);
        throw;
    } catch (...) {
        leave_failed_call(std::current_exception(), true);
        throw;
    }
    // Release: pairs with the look of a member whose call has failed.
    cluster_.board(rank_).progress.publish(ClusterState::progress_in(calls_ + 1, 0));
}

/// From here on this member may touch the vectors of the others of its process: see inside_bit.
void Seat::enter_call() {
    cluster_.board(rank_).progress.publish(ClusterState::progress_in(calls_, 0) | mailbox::inside_bit);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (cluster_.failure().raised()) {
        cluster_.failure().throw_aborted();
    }
}

/// Nobody of this process touches the member's vectors any more when this returns.
void Seat::leave_failed_call(const std::exception_ptr& cause, bool is_first) {
    if (is_first) {
        cluster_.fail(rank_, cause);
    }
    tell_others(cause);
    cluster_.leave_failed_call(rank_);
}

void Seat::find_leader() {
    if (knows_leader_) {
        return;
    }
    int is_main = 0;
    hybrid::check(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
    const std::int64_t mine = is_main != 0 ? rank_ : -1;
    std::int64_t found = mine;
    if (!alone()) {
        tutti::detail::execute(cluster_.enter()->seat(rank_), {.kind = Kind::allreduce,
                                                               .type = Type::i64,
                                                               .op = Operator::max,
                                                               .input = &mine,
                                                               .output = &found,
                                                               .input_count = 1,
                                                               .output_count = 1,
                                                               .element_bytes = sizeof(mine)});
    }
    if (found < 0) {
        throw ArgumentError(
            "MPI was initialised for MPI_THREAD_FUNNELED, where only the main thread may make its "
            "calls, but none of this process's members is on it: let it join, or ask "
            "MPI_Init_thread for MPI_THREAD_SERIALIZED");
    }
    leader_ = static_cast<int>(found);
    knows_leader_ = true;
}

void Seat::compare_claims() const {
    for (int other = 0; other < cluster_.members(); ++other) {
        const hybrid::Claim& claim = cluster_.board(other).claim;
        if (other != rank_ && claim != claim_) {
            throw MismatchError("the members are in different calls: member " +
                                std::to_string(global_rank()) + " in " + to_string(claim_) + "; member " +
                                std::to_string(global_rank() - rank_ + other) + " in " + to_string(claim));
        }
    }
}

void Seat::run_prepared() {
    find_leader();
    claim_.call = calls_;
    if (receives_directly()) { // there is nobody to show the vectors to
        return carry();
    }
    ClusterState::Board& board = cluster_.board(rank_);
    board.claim = claim_;
    board.input = in();
    board.output = out();
    board.input_start = shape_.input_is_block ? shape_.own_offset : 0;
    board.output_start = shape_.output_is_block ? shape_.own_offset : 0;
    make_room();
    contribute();
    if (is_pipelined()) {
        run_pipeline();
    } else if (carries()) {
        carry();
    }
    take();
}

} // namespace tutti::mpi::detail
