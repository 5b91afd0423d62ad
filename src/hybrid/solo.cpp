// A leader that does everything for its process.

#include "hybrid/seat.hpp"
#include "hybrid/ways.hpp"

#include <algorithm>
#include <array>

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
    if (!combines || claim_.way != Way::leader || total_bytes <= one_exchange_bytes) {
        return false;
    }
    if (total_bytes > segment_bytes) {
        return cluster_.all_go_solo(); // segments show on the wire, so all processes must agree on them
    }
    return !alone() && (cluster_.is_crowded() || total_bytes <= short_bytes);
}

void Seat::carry_solo() {
    const bool divided = call_.kind == Kind::reduce_scatter;
    const std::array<std::size_t, 2> whole{0, shape_.total};
    const std::span<const std::size_t> blocks =
        divided ? std::span<const std::size_t>(process_offsets_) : whole;
    const bool in_one = claim_.algorithm == hybrid::library_algorithm;
    const std::size_t segments = in_one ? 1 : (bytes(shape_.total) + segment_bytes - 1) / segment_bytes;
    hybrid::Carriage carriage = this->carriage();
    carriage.input = depot().input;
    carriage.output = depot().output;
    for (std::size_t segment = 0; segment < segments; ++segment) {
        // The segment has its part of each process's block, one after the other.
        std::size_t own_first = 0;
        std::size_t own_elements = 0;
        segment_offsets_.assign(1, 0);
        for (std::size_t block = 0; block + 1 < blocks.size(); ++block) {
            const std::size_t length = blocks[block + 1] - blocks[block];
            const std::size_t first = blocks[block] + length * segment / segments;
            const std::size_t elements = blocks[block] + length * (segment + 1) / segments - first;
            if (block == (divided ? static_cast<std::size_t>(cluster_.process()) : 0)) {
                own_first = first;
                own_elements = elements;
            }
            combine_range(depot().input + bytes(segment_offsets_.back()), first, elements);
            segment_offsets_.push_back(segment_offsets_.back() + elements);
        }
        carriage.total = segment_offsets_.back();
        carriage.offsets = divided ? segment_offsets_.data() : nullptr;
        cluster_.carrier(0).carry(carriage, claim_, segment > 0);
        const std::size_t at = divided ? segment_offsets_[static_cast<std::size_t>(cluster_.process())] : 0;
        hand_out(depot().output + bytes(at), own_first, own_elements);
    }
}

/// The members' elements from `first` on, combined in rank order.
void Seat::combine_range(std::byte* to, std::size_t first, std::size_t elements) {
    ins_.clear();
    for (int member = 0; member < cluster_.members(); ++member) {
        ins_.push_back(cluster_.board(member).input + bytes(first));
    }
    void* result = to;
    kernels_->reduce_many(call_.state, &result, 1, ins_.data(), cluster_.members(), elements, false);
}

/// Stores elements of the result, from `first` on, where the members want them.
void Seat::hand_out(const std::byte* from, std::size_t first, std::size_t elements) {
    if (call_.kind == Kind::reduce_scatter) {
        for (int member = 0; member < cluster_.members(); ++member) {
            const auto rank = static_cast<std::size_t>(global_rank() - rank_ + member);
            const std::size_t begin = std::max(first, offsets_[rank]);
            const std::size_t end = std::min(first + elements, offsets_[rank + 1]);
            if (begin < end) {
                const std::size_t at = begin - (shape_.output_is_block ? offsets_[rank] : 0);
                void* to = cluster_.board(member).output + bytes(at);
                tutti::detail::copy_many(&to, 1, from + bytes(begin - first), bytes(end - begin), false);
            }
        }
        return;
    }
    outs_.clear();
    for (int member = 0; member < cluster_.members(); ++member) {
        const bool wants = call_.kind == Kind::allreduce || global_rank() - rank_ + member == call_.root;
        if (wants) {
            outs_.push_back(cluster_.board(member).output + bytes(first));
        }
    }
    if (!outs_.empty()) {
        const bool beyond_caches = cluster_.enter()->exceeds_caches(2 * outs_.size() * bytes(shape_.total));
        const bool stream = beyond_caches && shape_.aliasing == tutti::execute::Aliasing::separate;
        tutti::detail::copy_many(outs_.data(), static_cast<int>(outs_.size()), from, bytes(elements), stream);
    }
}

} // namespace tutti::mpi::detail
