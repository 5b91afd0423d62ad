// What happens to the vectors of one call: put into the depot, carried, taken.

#include "execute/select.hpp"
#include "hybrid/seat.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::mpi::detail {

using hybrid::Way;
using tutti::detail::Kind;

namespace {

void run_on(tutti::detail::Seat& seat, const tutti::detail::Call& call) {
    const std::uint64_t key = tutti::detail::key_of(call);
    if (key == 0 || !tutti::detail::execute_again(seat, key, call.input, call.output)) {
        tutti::detail::execute(seat, call);
    }
}

} // namespace

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes != 0 && to != from) {
        std::memcpy(to, from, bytes);
    }
}

void Seat::run_local(const Call& call) {
    run_on(cluster_.enter()->seat(rank_), call);
}

void Seat::meet(tutti::detail::GroupState& group) {
    if (!alone()) {
        run_on(group.seat(rank_), {.kind = Kind::barrier, .type = Type::u8});
    }
}

void Seat::make_room() {
    const auto members = static_cast<std::size_t>(cluster_.members());
    const bool prefix = call_.kind == Kind::scan || call_.kind == Kind::exscan;
    const bool pairs = call_.kind == Kind::alltoall;
    const std::size_t input = bytes(shape_.total) * (prefix || pairs ? members : 1);
    const std::size_t output = bytes(shape_.total) * (pairs ? members : 1);
    if (input <= input_room_ && output <= output_room_ && call_.element_align <= room_align_) {
        return;
    }
    input_room_ = std::max(input, input_room_);
    output_room_ = std::max(output, output_room_);
    room_align_ = std::max(call_.element_align, room_align_);
    meet(*cluster_.enter()); // the last call's results have been taken
    if (leads()) {
        cluster_.enlarge(input_room_, output_room_, room_align_);
    }
    meet(*cluster_.leave());
}

std::size_t Seat::own_block_elements() const {
    const auto own = static_cast<std::size_t>(global_rank());
    return offsets_[own + 1] - offsets_[own];
}

void Seat::contribute() {
    const std::size_t own_bytes = bytes(shape_.own_offset);
    switch (call_.kind) {
    case Kind::reduce:
    case Kind::allreduce:
    case Kind::reduce_scatter:
        return combine();
    case Kind::broadcast:
    case Kind::scatter:
        if (is_root() && !is_pipelined() && !is_solo() && !sends_directly()) {
            copy_bytes(depot().input, in(), bytes(shape_.total));
        }
        break;
    case Kind::allgather:
        if (is_cut() || is_solo() || sends_directly()) {
            break;
        }
        [[fallthrough]];
    case Kind::gather:
        copy_bytes(depot().input + own_bytes, in() + (shape_.input_is_block ? 0 : own_bytes),
                   bytes(own_block_elements()));
        break;
    case Kind::alltoall:
        pack();
        break;
    case Kind::scan:
    case Kind::exscan: {
        if (is_serial()) {
            break;
        }
        Call local = call_;
        local.kind = Kind::scan;
        local.in_place = false;
        local.output = depot().input + static_cast<std::size_t>(rank_) * bytes(shape_.total);
        local.output_count = shape_.total;
        run_local(local);
        break;
    }
    case Kind::barrier:
    case Kind::shift:
        break;
    }
    meet(*cluster_.enter());
    if (is_cut() && !is_pipelined()) {
        put_parts();
    }
}

/// The members' vectors, combined in rank order, in the depot; every carrier returns when what it carries is
/// there.
void Seat::combine() {
    if (is_solo() || is_pipelined() || is_serial()) {
        return meet(*cluster_.enter());
    }
    if (is_cut()) {
        meet(*cluster_.enter());
        return put_parts();
    }
    if (sends_directly()) {
        return;
    }
    Call local = call_;
    local.in_place = false;
    local.counts = nullptr;
    local.root = 0;
    local.input_count = shape_.total;
    const std::size_t total_bytes = bytes(shape_.total);
    if (total_bytes <= one_exchange_bytes && carriers_ == 1) {
        local.kind = Kind::allreduce;
        local.output = leads() ? depot().input : discarded_.at_least(one_exchange_bytes, call_.element_align);
        local.output_count = shape_.total;
        return run_local(local);
    }
    std::size_t first = 0;
    for (int member = 0; member < rank_; ++member) {
        first += slices_[static_cast<std::size_t>(member)];
    }
    local.kind = Kind::reduce_scatter;
    // Named, because nobody may go on before all have come, not even where one slice is everything and the
    // others have nothing to wait for.
    local.algorithm = "direct";
    const Counts slices(slices_);
    local.counts = &slices;
    local.output = depot().input + bytes(first);
    local.output_count = slices_[static_cast<std::size_t>(rank_)];
    run_local(local);
    if (claim_.way != Way::lane) {
        meet(*cluster_.enter());
    }
}

/// Blocks for one process lie together, by sender and receiver.
void Seat::pack() {
    const auto members = static_cast<std::size_t>(cluster_.members());
    const auto own = static_cast<std::size_t>(rank_);
    for (int process = 0; process < cluster_.processes(); ++process) {
        const auto first = static_cast<std::size_t>(cluster_.first_rank(process));
        const auto there = static_cast<std::size_t>(cluster_.members_of(process));
        copy_bytes(depot().input + bytes((members * first + own * there) * shape_.block),
                   in() + bytes(first * shape_.block), bytes(there * shape_.block));
    }
}

void Seat::unpack() {
    const auto members = static_cast<std::size_t>(cluster_.members());
    const auto own = static_cast<std::size_t>(rank_);
    for (std::size_t sender = 0; sender < static_cast<std::size_t>(cluster_.size()); ++sender) {
        copy_bytes(out() + bytes(sender * shape_.block),
                   depot().output + bytes((sender * members + own) * shape_.block), bytes(shape_.block));
    }
}

/// For a carrier, once the members have met.
hybrid::Carriage Seat::carriage() {
    hybrid::require_unfinalised_mpi();
    cluster_.carrier(carriers_ == 1 ? 0 : rank_).wire().set_patience(patience_);

    const bool rooted = is_rooted(tutti::execute::collective_of(call_.kind));
    const bool divided = call_.kind == Kind::reduce_scatter || call_.kind == Kind::allgather ||
                         call_.kind == Kind::gather || call_.kind == Kind::scatter ||
                         call_.kind == Kind::alltoall;
    hybrid::Carriage carriage{.kind = call_.kind,
                              .input = depot().input,
                              .output = depot().output,
                              .total = shape_.total,
                              .offsets = divided ? process_offsets_.data() : nullptr,
                              .root = rooted ? cluster_.process_of(call_.root) : 0,
                              .element_bytes = call_.element_bytes,
                              .element_align = call_.element_align,
                              .type = call_.type,
                              .op = call_.op,
                              .kernels = kernels_,
                              .state = call_.state};
    const auto members = static_cast<std::size_t>(cluster_.members());
    if (call_.kind == Kind::alltoall) {
        carriage.total *= members;
    }
    if (call_.kind == Kind::scan || call_.kind == Kind::exscan) {
        carriage.kind = Kind::exscan;
        carriage.input += bytes((members - 1) * shape_.total); // what all members here amount to
    }
    if (sends_directly()) {
        // Only read, and as if whole: a block need not have anything before it.
        const std::size_t before = shape_.input_is_block ? bytes(shape_.own_offset) : 0;
        carriage.input = reinterpret_cast<std::byte*>( // NOLINT(performance-no-int-to-ptr)
            reinterpret_cast<std::uintptr_t>(call_.input) - before);
    }
    if (receives_directly()) {
        carriage.output = out();
    }
    return carriage;
}

void Seat::carry() {
    compare_claims();
    speak([this] { is_serial() ? carry_serial() : is_solo() ? carry_solo() : carry_slice(); });
}

void Seat::carry_slice() {
    if (is_cut()) {
        return carry_part(carriers_ == 1 ? 0 : static_cast<std::size_t>(rank_));
    }
    hybrid::Carriage own = carriage();
    if (carriers_ == 1) {
        return cluster_.carrier(0).carry(own, claim_);
    }
    const auto carriers = static_cast<std::size_t>(carriers_);
    const auto index = static_cast<std::size_t>(rank_);
    std::size_t first = shape_.total * index / carriers;
    std::size_t end = shape_.total * (index + 1) / carriers;
    if (claim_.way == Way::lane) {
        first = 0;
        for (std::size_t member = 0; member < index; ++member) {
            first += slices_[member];
        }
        end = first + slices_[index];
    }
    own.input += bytes(first);
    own.output += bytes(first);
    own.total = end - first;
    cluster_.carrier(rank_).carry(own, claim_);
}

void Seat::take() {
    meet(*cluster_.leave());
    if (is_solo() || is_pipelined()) {
        return;
    }
    if (is_cut()) {
        return take_parts();
    }
    const std::size_t own_bytes = bytes(shape_.own_offset);
    switch (call_.kind) {
    case Kind::broadcast:
        if (!is_root() && !receives_directly()) {
            copy_bytes(out(), root_is_here() ? depot().input : depot().output, bytes(shape_.total));
        }
        return;
    case Kind::allreduce:
    case Kind::allgather:
        if (!receives_directly()) {
            copy_bytes(out(), depot().output, bytes(shape_.total));
        }
        return;
    case Kind::reduce:
    case Kind::gather:
        if (is_root() && !receives_directly()) {
            copy_bytes(out(), depot().output, bytes(shape_.total));
        }
        return;
    case Kind::reduce_scatter:
    case Kind::scatter:
        return copy_bytes(out() + (shape_.output_is_block ? 0 : own_bytes), depot().output + own_bytes,
                          bytes(own_block_elements()));
    case Kind::alltoall:
        return unpack();
    case Kind::scan:
    case Kind::exscan:
        return take_prefix();
    case Kind::barrier:
    case Kind::shift:
        return;
    }
}

/// What all processes before amount to, combined with what the members before here do.
void Seat::take_prefix() {
    const bool exclusive = call_.kind == Kind::exscan;
    const std::size_t total_bytes = bytes(shape_.total);
    const bool has_before = cluster_.process() > 0;
    const bool has_local = !exclusive || rank_ > 0;
    const auto local = static_cast<std::size_t>(exclusive ? rank_ - 1 : rank_);
    const std::byte* const own = has_local ? depot().input + local * total_bytes : nullptr;
    if (has_before && has_local && !is_serial()) {
        kernels_->reduce(call_.state, out(), depot().output, own, shape_.total);
    } else if (has_before || has_local) {
        copy_bytes(out(), has_local ? own : depot().output, total_bytes);
    }
}

} // namespace tutti::mpi::detail
