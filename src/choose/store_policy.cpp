#include "choose/store_policy.hpp"

#include "choose/this_machine.hpp"

#include <algorithm>
#include <utility>

namespace tutti::engine {

std::size_t touched_bytes(Collective collective, std::size_t total_bytes, int members) {
    // Blocks of all members make up one whole vector.
    const auto whole_vectors = [&](const detail::Parts& parts) {
        return parts.others == detail::Part::whole ? static_cast<std::size_t>(members) : 1;
    };
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    return (whole_vectors(traits.input) + whole_vectors(traits.output)) * total_bytes;
}

StorePolicy::StorePolicy(const machine::Machine& machine, machine::Thresholds profile)
    : profile_(std::move(profile)), l2_caches_(static_cast<std::size_t>(std::max(machine.l2_groups(), 1))),
      to_others_(cheapest(profile_)) {}

const StorePolicy& StorePolicy::here() {
    // First: it may warn, which a thread must not do while others wait for a static object.
    const machine::Thresholds& thresholds = tuning::this_thresholds();
    static const StorePolicy caches(tuning::this_machine(), thresholds);
    return caches;
}

StorePolicy::Way StorePolicy::cheapest(const machine::Thresholds& profile) {
    // After non-temporal stores the next reader fetches from further away, and a move costs more to begin
    // than a store.
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

bool StorePolicy::is_full(const machine::Reach& reach, std::size_t touched_bytes, int cpus,
                          int l3_groups) const {
    const std::size_t l2_caches = std::min(static_cast<std::size_t>(cpus), l2_caches_);
    return touched_bytes >= reach.bytes(l2_caches, static_cast<std::size_t>(l3_groups));
}

bool StorePolicy::streams_to_own(Collective collective, std::size_t touched_bytes, int cpus,
                                 int l3_groups) const {
    using enum Collective;
    const bool combines_to_one = collective == reduce || collective == reduce_scatter;
    const bool pushes_to_all = collective == broadcast || collective == allgather;
    return is_full(combines_to_one ? profile_.stream_combined_to_own
                   : pushes_to_all ? profile_.stream_pushed_to_own
                                   : profile_.stream_to_own,
                   touched_bytes, cpus, l3_groups);
}

bool StorePolicy::streams_to_others(std::size_t touched_bytes, int cpus, int l3_groups) const {
    return is_full(profile_.stream_to_others, touched_bytes, cpus, l3_groups) ||
           (to_others_ == Way::streamed && touched_bytes >= profile_.lines_from_bytes);
}

bool StorePolicy::moves_to_others(std::size_t touched_bytes, int cpus, int l3_groups) const {
    return to_others_ == Way::moved && touched_bytes >= profile_.lines_from_bytes &&
           !streams_to_others(touched_bytes, cpus, l3_groups);
}

bool StorePolicy::streams_combined(Collective collective, std::size_t touched_bytes, int members) const {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    // An exscan of two combines nothing.
    const bool combines =
        members == 2 ? traits.reduces() && traits.result != detail::Result::of_before : traits.is_prefix();
    return combines && profile_.stream_combined_bytes != 0 && touched_bytes >= profile_.stream_combined_bytes;
}

WaysToStore StorePolicy::ways_to_store(tuning::Stores stores, const StoreSituation& where) const {
    using enum tuning::Stores;
    if (stores != by_policy) {
        return {stores == non_temporal, stores == non_temporal, stores == string_moves};
    }
    const std::size_t bytes = where.touched_bytes;
    const bool streams = streams_to_others(bytes, where.cpus, where.l3_groups) ||
                         streams_combined(where.collective, bytes, where.members);
    return {streams_to_own(where.collective, bytes, where.cpus, where.l3_groups), streams,
            !streams && moves_to_others(bytes, where.cpus, where.l3_groups)};
}

bool StorePolicy::pulls_between_two(std::size_t touched_bytes) const {
    return touched_bytes <= profile_.pull_between_two_bytes;
}

bool StorePolicy::fetches_results(std::size_t touched_bytes, int members, int cpus, int l3_groups) const {
    // Among three, the second exchange costs more than the stores to two others.
    return members > 3 && profile_.fetch_results_bytes != 0 &&
           touched_bytes >= profile_.fetch_results_bytes &&
           !streams_to_others(touched_bytes, cpus, l3_groups);
}

bool StorePolicy::pushes(std::size_t touched_bytes, int l3_groups) const {
    const std::size_t full_bytes = static_cast<std::size_t>(l3_groups) * profile_.stream_to_own.l3_bytes;
    return touched_bytes >=
           (profile_.push_bytes != 0 ? std::min(profile_.push_bytes, full_bytes) : full_bytes);
}

} // namespace tutti::engine
