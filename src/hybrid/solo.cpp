// A leader that does everything for its process.

#include "hybrid/seat.hpp"
#include "hybrid/ways.hpp"

namespace tutti::mpi::detail {

using hybrid::segment_bytes;
using hybrid::Way;
using tutti::detail::Kind;

namespace {

/// Up to so many bytes one thread should combine in less time than two more exchanges take: an estimate,
/// since there was no machine with a CPU for every member to measure it on.
constexpr std::size_t short_bytes = std::size_t{16} << 10U;

} // namespace

bool Seat::is_solo() const {
    const bool combines =
        call_.kind == Kind::reduce || call_.kind == Kind::allreduce || call_.kind == Kind::reduce_scatter;
    const std::size_t total_bytes = bytes(shape_.total);
    if (!combines || claim_.way != Way::leader || is_serial() || total_bytes <= one_exchange_bytes) {
        return false;
    }
    if (total_bytes > segment_bytes) {
        return cluster_.all_go_solo(); // segments show on the wire, so all processes must agree on them
    }
    return !alone() && (cluster_.is_crowded() || total_bytes <= short_bytes);
}

void Seat::carry_solo() {
    const bool in_one = claim_.algorithm == hybrid::library_algorithm;
    const std::size_t segments = in_one ? 1 : this->segments();
    for (std::size_t segment = 0; segment < segments; ++segment) {
        cut(segment, segments);
        put_part(depot().input, 0, 1);
        cluster_.carrier(0).carry(part_carriage(depot().input, depot().output), claim_, segment > 0);
        hand_out();
    }
}

/// Stores the part where the members want it.
void Seat::hand_out() {
    const std::byte* const from = depot().output;
    outs_.clear();
    for (int member = 0; member < cluster_.members(); ++member) {
        const ClusterState::Board& board = cluster_.board(member);
        if (call_.kind == Kind::reduce_scatter) {
            store_part(member, from);
        } else if (call_.kind == Kind::allreduce || first_member() + member == call_.root) {
            outs_.push_back(board.output + bytes(part_.start()));
        }
    }
    if (!outs_.empty()) {
        const bool beyond_caches = cluster_.enter()->exceeds_caches(2 * outs_.size() * bytes(shape_.total));
        const bool stream = beyond_caches && shape_.aliasing == tutti::execute::Aliasing::separate;
        tutti::detail::copy_many(outs_.data(), static_cast<int>(outs_.size()), from, bytes(part_.elements()),
                                 stream);
    }
}

} // namespace tutti::mpi::detail
