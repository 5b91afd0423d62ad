// Order serial across processes: each goes on from what all before it amount to.

#include "hybrid/algorithms.hpp"
#include "hybrid/seat.hpp"
#include "hybrid/ways.hpp"

#include <array>

namespace tutti::mpi::detail {

using tutti::detail::Kind;

/// The leader combines the vectors of its process, from the left, with what comes from the process before,
/// and passes that on, segment by segment: a chain of processes at work on one segment each.
void Seat::carry_serial() {
    const hybrid::Carriage whole = carriage();
    hybrid::Wire& wire = cluster_.carrier(0).wire();
    wire.begin(claim_);
    const bool prefixes = call_.kind == Kind::scan || call_.kind == Kind::exscan;
    const std::array<std::size_t, 2> one_block{0, shape_.total};
    for (std::size_t segment = 0; segment < segments(); ++segment) {
        part_.cut(one_block, segment, segments());
        const std::size_t length = bytes(part_.elements());
        std::byte* const before = (prefixes ? depot().output : depot().input) + bytes(part_.start());
        if (cluster_.process() > 0 && length != 0) {
            wire.receive(std::array{hybrid::Wire::Piece{before, length}}, cluster_.process() - 1);
            wire.wait();
        }
        std::byte* const after = prefixes ? continue_prefixes(before) : continue_reduction(before);
        if (cluster_.process() + 1 < cluster_.processes() && length != 0) {
            wire.send(std::array{hybrid::Wire::Piece{after, length}}, cluster_.process() + 1);
            wire.wait();
        }
    }
    if (!prefixes && cluster_.processes() > 1) {
        spread_serial(whole);
    }
}

/// What the processes before amount to, and the vectors of this one. Returns where the result is.
std::byte* Seat::continue_reduction(const std::byte* before) {
    ins_.clear();
    if (cluster_.process() > 0) {
        ins_.push_back(before);
    }
    for (int member = 0; member < cluster_.members(); ++member) {
        ins_.push_back(cluster_.board(member).input + bytes(part_.start()));
    }
    std::byte* const after = depot().output + bytes(part_.start());
    void* result = after;
    kernels_->reduce_many(call_.state, &result, 1, ins_.data(), static_cast<int>(ins_.size()),
                          part_.elements(), {});
    return after;
}

/// The same, with the inclusive prefix of each member in the depot. Returns where the last one is.
std::byte* Seat::continue_prefixes(const std::byte* before) {
    const std::byte* last = cluster_.process() > 0 ? before : nullptr;
    std::byte* after = nullptr;
    for (int member = 0; member < cluster_.members(); ++member) {
        const std::byte* const own = cluster_.board(member).input + bytes(part_.start());
        after = depot().input + static_cast<std::size_t>(member) * bytes(shape_.total) + bytes(part_.start());
        if (last == nullptr) {
            copy_bytes(after, own, bytes(part_.elements()));
        } else {
            kernels_->reduce(call_.state, after, last, own, part_.elements());
        }
        last = after;
    }
    return after;
}

/// From the last process, which has the result, to all that want it.
void Seat::spread_serial(const hybrid::Carriage& whole) {
    const int last = cluster_.processes() - 1;
    hybrid::Carriage result = whole;
    result.input = depot().output;
    result.output = depot().output;
    result.root = last;
    Call call = call_;
    if (call_.kind == Kind::reduce) {
        hybrid::Wire& wire = cluster_.carrier(0).wire();
        const std::array message{hybrid::Wire::Piece{depot().output, bytes(shape_.total)}};
        const int root = whole.root;
        if (root == last || shape_.total == 0) {
            return;
        }
        if (cluster_.process() == last) {
            wire.send(message, root);
        } else if (cluster_.process() == root) {
            wire.receive(message, last);
        }
        return wire.wait();
    }
    call.kind = call_.kind == Kind::reduce_scatter ? Kind::scatter : Kind::broadcast;
    result.kind = call.kind;
    hybrid::Claim claim = claim_;
    claim.kind = call.kind;
    claim.algorithm = hybrid::choose_algorithm(
        call, {},
        {.processes = cluster_.processes(), .bytes = bytes(shape_.total), .even = cluster_.is_even()});
    cluster_.carrier(0).carry(result, claim);
}

} // namespace tutti::mpi::detail
