// A leader that does everything for its process.

#include "execute/caches.hpp"
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

bool Seat::goes_solo() const {
    const std::size_t total_bytes = bytes(shape_.total);
    if (!hybrid::can_be_cut(call_.kind) || claim_.way != Way::leader || is_serial() ||
        total_bytes <= one_exchange_bytes) {
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
    // What is broadcast goes from the root's vector, or into the leader's, and from there to the others.
    const bool broadcasts = call_.kind == Kind::broadcast;
    std::byte* const vector = !broadcasts      ? nullptr
                              : root_is_here() ? cluster_.board(call_.root - first_member()).output
                                               : out();
    for (std::size_t segment = 0; segment < segments; ++segment) {
        cut(segment, segments);
        put_part(depot().input, 0, 1);
        std::byte* const input = broadcasts ? vector + bytes(part_.start()) : depot().input;
        std::byte* const output = broadcasts ? input : depot().output;
        cluster_.carrier(0).carry(part_carriage(input, output), claim_);
        hand_out(output);
    }
}

/// Stores the part, from where it lies, where the members want it.
void Seat::hand_out(const std::byte* from) {
    if (call_.kind == Kind::reduce_scatter) {
        for (int member = 0; member < cluster_.members(); ++member) {
            store_part(member, from);
        }
        return;
    }
    // In the caches through them, the others' vectors like its own: past them an allreduce of 64 KiB to 1 MiB
    // takes 1.3 to 1.6 times as long.
    const bool separate =
        call_.kind == Kind::broadcast || shape_.aliasing == tutti::execute::Aliasing::separate;
    const bool stream =
        separate &&
        tutti::execute::Caches::here().streams_to_own(
            2 * static_cast<std::size_t>(cluster_.members()) * bytes(shape_.total), cluster_.members());
    part_.for_each_range(0, part_.elements(), [&](std::size_t at, std::size_t place, std::size_t elements) {
        outs_.clear();
        for (int member = 0; member < cluster_.members(); ++member) {
            std::byte* const to = cluster_.board(member).output + bytes(place);
            if (wants_whole(member) && to != from + bytes(at)) {
                outs_.push_back(to);
            }
        }
        if (!outs_.empty()) {
            tutti::detail::copy_many(outs_.data(), static_cast<int>(outs_.size()), from + bytes(at),
                                     bytes(elements), {.stream = stream});
        }
    });
}

} // namespace tutti::mpi::detail
