// What members and carriers do with one part of the vectors: put it into the depot, carry it, store it.

#include "hybrid/seat.hpp"

#include <algorithm>

namespace tutti::mpi::detail {

using hybrid::Way;
using tutti::detail::Kind;

namespace {

/// Of `size` elements, those that share `index` of `shares` starts with.
std::size_t share_start(std::size_t size, std::size_t index, std::size_t shares) {
    return size * index / shares;
}

} // namespace

bool Seat::puts_parts() const {
    const bool divided = call_.kind == Kind::reduce_scatter || call_.kind == Kind::allgather;
    return claim_.way == Way::pipelined || (divided && claim_.way != Way::leader);
}

void Seat::cut(std::size_t index, std::size_t count) {
    part_.cut(process_offsets_, index, count);
}

/// This process's blocks, as elements of the part.
std::pair<std::size_t, std::size_t> Seat::own_range() const {
    const auto own = call_.kind == Kind::reduce_scatter || call_.kind == Kind::allgather
                         ? static_cast<std::size_t>(cluster_.process())
                         : 0;
    return {part_.offsets()[own], part_.offsets()[own + 1]};
}

/// Share `index` of `shares` of what goes into the part, from the members' vectors to `to`, where it starts.
void Seat::put_part(std::byte* to, std::size_t index, std::size_t shares) {
    if (call_.kind == Kind::broadcast) {
        return; // the root's vector is carried
    }
    if (call_.kind == Kind::allgather) {
        const auto [first, last] = own_range();
        const std::size_t begin = first + share_start(last - first, index, shares);
        const std::size_t end = first + share_start(last - first, index + 1, shares);
        return part_.for_each_range(begin, end, [&](std::size_t at, std::size_t place, std::size_t elements) {
            gather_range(to + bytes(at), place, elements);
        });
    }
    const std::size_t begin = share_start(part_.elements(), index, shares);
    const std::size_t end = share_start(part_.elements(), index + 1, shares);
    part_.for_each_range(begin, end, [&](std::size_t at, std::size_t place, std::size_t elements) {
        combine_range(to + bytes(at), place, elements);
    });
}

/// The members' elements from `first` on, combined in rank order.
void Seat::combine_range(std::byte* to, std::size_t first, std::size_t elements) {
    ins_.clear();
    for (int member = 0; member < cluster_.members(); ++member) {
        ins_.push_back(cluster_.board(member).input + bytes(first));
    }
    void* result = to;
    kernels_->reduce_many(call_.state, &result, 1, ins_.data(), cluster_.members(), elements, {});
}

/// The elements from `first` on of the vector that the members' blocks make.
void Seat::gather_range(std::byte* to, std::size_t first, std::size_t elements) {
    for (int member = 0; member < cluster_.members(); ++member) {
        const ClusterState::Board& board = cluster_.board(member);
        const auto rank = static_cast<std::size_t>(first_member() + member);
        const std::size_t begin = std::max(first, offsets_[rank]);
        const std::size_t end = std::min(first + elements, offsets_[rank + 1]);
        if (begin < end) {
            void* target = to + bytes(begin - first);
            tutti::detail::copy_many(&target, 1, board.input + bytes(begin - board.input_start),
                                     bytes(end - begin), {});
        }
    }
}

/// Whether what is carried, undivided, goes into a member's vector.
bool Seat::wants_whole(int member) const {
    const bool is_root = first_member() + member == call_.root;
    return call_.kind == Kind::broadcast ? !is_root : call_.kind != Kind::reduce || is_root;
}

/// What a member wants of the part, from where the part lies into its vector.
void Seat::store_part(int member, const std::byte* from) {
    const ClusterState::Board& board = cluster_.board(member);
    const bool scatters = call_.kind == Kind::reduce_scatter;
    const auto rank = static_cast<std::size_t>(first_member() + member);
    const auto [own_begin, own_end] = own_range();
    const std::size_t begin = scatters ? own_begin : 0;
    const std::size_t end = scatters ? own_end : part_.elements();
    part_.for_each_range(begin, end, [&](std::size_t at, std::size_t place, std::size_t elements) {
        const std::size_t first = scatters ? std::max(place, offsets_[rank]) : place;
        const std::size_t last = scatters ? std::min(place + elements, offsets_[rank + 1]) : place + elements;
        if (first < last) {
            void* target = board.output + bytes(first - board.output_start);
            tutti::detail::copy_many(&target, 1, from + bytes(at + (first - place)), bytes(last - first), {});
        }
    });
}

/// The part as a vector of its own.
hybrid::Carriage Seat::part_carriage(std::byte* input, std::byte* output) {
    hybrid::Carriage part = carriage();
    part.input = input;
    part.output = output;
    part.total = part_.elements();
    part.offsets = part.offsets != nullptr ? part_.offsets().data() : nullptr;
    return part;
}

/// Leaders and lanes take parts of vectors that are divided by rank: after a meeting, in which the vectors
/// have been shown. A lane's carrier puts all of its part itself; otherwise all members share in every part.
void Seat::put_parts() {
    compare_claims();
    const auto carriers = static_cast<std::size_t>(carriers_);
    const auto own = static_cast<std::size_t>(rank_);
    const bool lane = claim_.way == Way::lane;
    for (std::size_t index = lane ? own : 0; index < (lane ? std::min(own + 1, carriers) : carriers);
         ++index) {
        cut(index, carriers);
        put_part(depot().input + bytes(part_.start()), lane ? 0 : own,
                 lane ? 1 : static_cast<std::size_t>(cluster_.members()));
    }
    if (!lane) {
        meet(*cluster_.enter());
    }
}

void Seat::carry_part(std::size_t index) {
    cut(index, static_cast<std::size_t>(carriers_));
    const std::size_t start = bytes(part_.start());
    cluster_.carrier(carriers_ == 1 ? 0 : rank_)
        .carry(part_carriage(depot().input + start, depot().output + start), claim_);
}

void Seat::take_parts() {
    for (std::size_t index = 0; index < static_cast<std::size_t>(carriers_); ++index) {
        cut(index, static_cast<std::size_t>(carriers_));
        store_part(rank_, depot().output + bytes(part_.start()));
    }
}

} // namespace tutti::mpi::detail
