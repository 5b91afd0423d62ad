#include "choose/caches.hpp"

#include "tuning/load.hpp"

#include <algorithm>
#include <utility>

namespace tutti::execute {

std::size_t touched_bytes(Collective collective, std::size_t total_bytes, int members) {
    const auto vectors = static_cast<std::size_t>(members);
    switch (collective) {
    case Collective::allreduce:
    case Collective::alltoall:
    case Collective::scan:
    case Collective::exscan:
    case Collective::shift:
        return 2 * vectors * total_bytes;
    case Collective::gather:
    case Collective::scatter:
        return 2 * total_bytes;
    default:
        return (vectors + 1) * total_bytes;
    }
}

Caches::Caches(const machine::Machine& machine, machine::Profile profile)
    : profile_(std::move(profile)), l2_caches_(static_cast<std::size_t>(std::max(machine.l2_groups(), 1))),
      to_others_(cheapest(profile_)) {}

const Caches& Caches::here() {
    static const Caches caches(tuning::this_machine(), tuning::this_profile());
    return caches;
}

Caches::Way Caches::cheapest(const machine::Profile& profile) {
    // Whoever reads next what went past the caches fetches it from further away, and a move costs more to
    // begin than a store.
    constexpr double least_gain = 1.25;
    const auto known = [](double ns) { return ns > 0; };
    if (!known(profile.plain_line_ns)) {
        return Way::plain;
    }
    const bool moves =
        known(profile.moved_line_ns) && profile.moved_line_ns * least_gain < profile.plain_line_ns;
    const double cached_ns = moves ? profile.moved_line_ns : profile.plain_line_ns;
    if (known(profile.streamed_line_ns) && profile.streamed_line_ns * least_gain < cached_ns) {
        return Way::streamed;
    }
    return moves ? Way::moved : Way::plain;
}

bool Caches::is_full(const machine::Reach& reach, std::size_t touched_bytes, int cpus, int l3_groups) const {
    const std::size_t l2_caches = std::min(static_cast<std::size_t>(cpus), l2_caches_);
    return touched_bytes >= reach.bytes(l2_caches, static_cast<std::size_t>(l3_groups));
}

bool Caches::streams_to_own(Collective collective, std::size_t touched_bytes, int cpus, int l3_groups) const {
    switch (collective) {
    case Collective::reduce:
    case Collective::reduce_scatter:
        return is_full(profile_.stream_combined_to_own, touched_bytes, cpus, l3_groups);
    case Collective::broadcast:
    case Collective::allgather:
        return is_full(profile_.stream_pushed_to_own, touched_bytes, cpus, l3_groups);
    default:
        return is_full(profile_.stream_to_own, touched_bytes, cpus, l3_groups);
    }
}

bool Caches::streams_to_others(std::size_t touched_bytes, int cpus, int l3_groups) const {
    return is_full(profile_.stream_to_others, touched_bytes, cpus, l3_groups) ||
           (to_others_ == Way::streamed && touched_bytes >= profile_.lines_from_bytes);
}

bool Caches::moves_to_others(std::size_t touched_bytes, int cpus, int l3_groups) const {
    return to_others_ == Way::moved && touched_bytes >= profile_.lines_from_bytes &&
           !streams_to_others(touched_bytes, cpus, l3_groups);
}

bool Caches::streams_combined(Collective collective, std::size_t touched_bytes, int members) const {
    const bool scans = collective == Collective::scan || collective == Collective::exscan;
    // An exscan of two combines nothing.
    const bool combines =
        members == 2 ? detail::traits_of(collective).reduces() && collective != Collective::exscan : scans;
    return combines && profile_.stream_combined_bytes != 0 && touched_bytes >= profile_.stream_combined_bytes;
}

bool Caches::pulls_between_two(std::size_t touched_bytes) const {
    return touched_bytes <= profile_.pull_between_two_bytes;
}

bool Caches::fetches_results(std::size_t touched_bytes, int members, int cpus, int l3_groups) const {
    // Among three, the second exchange costs more than the stores to two others.
    return members > 3 && profile_.fetch_results_bytes != 0 &&
           touched_bytes >= profile_.fetch_results_bytes &&
           !streams_to_others(touched_bytes, cpus, l3_groups);
}

bool Caches::pushes(std::size_t touched_bytes, int l3_groups) const {
    const std::size_t full_bytes = static_cast<std::size_t>(l3_groups) * profile_.stream_to_own.l3_bytes;
    return touched_bytes >=
           (profile_.push_bytes != 0 ? std::min(profile_.push_bytes, full_bytes) : full_bytes);
}

} // namespace tutti::execute
