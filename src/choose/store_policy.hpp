#pragma once

#include "choose/table.hpp"
#include "machine/machine.hpp"
#include "machine/thresholds.hpp"
#include "schedule/synchronise.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::engine {

/// The bytes of all members' vectors together, when each member's whole vector has `total_bytes`.
std::size_t touched_bytes(Collective collective, std::size_t total_bytes, int members);

/// Whether members of such a call store where nobody has just read. In place every line that is written has
/// been read, and non-temporal stores would evict it; but nobody has read the output of a broadcast.
inline bool stores_apart(Collective collective, schedule::Protocol protocol) {
    return protocol == schedule::Protocol::zero_copy || collective == Collective::broadcast;
}

/// The inputs of the way to store.
struct StoreSituation {
    Collective collective;
    std::size_t touched_bytes;
    int members;
    int cpus;
    int l3_groups;
};

/// How members store to their own vectors and to those of others. Neither: through the caches.
struct WaysToStore {
    bool streams_to_own = false;
    bool streams_to_others = false;
    bool moves_to_others = false;

    friend bool operator==(const WaysToStore&, const WaysToStore&) = default;
};

/// How an operation that touches so many bytes in all is written on a machine with these thresholds.
class StorePolicy {
public:
    StorePolicy(const machine::Machine& machine, machine::Thresholds profile);

    /// Those of this machine.
    TUTTI_COMPONENT_API static const StorePolicy& here();

    const machine::Thresholds& profile() const { return profile_; }

    /// Whether a member of that collective uses non-temporal stores to its own vector, on CPUs with so many
    /// L3 caches for all members.
    TUTTI_COMPONENT_API bool streams_to_own(Collective collective, std::size_t touched_bytes, int cpus,
                                            int l3_groups = 1) const;

    /// Whether the cheapest way to write lines of others is rep movsb.
    TUTTI_COMPONENT_API bool moves_lines() const { return to_others_ == Way::moved; }

    /// Whether it writes those of others by non-temporal stores, and whether by rep movsb.
    bool streams_to_others(std::size_t touched_bytes, int cpus, int l3_groups = 1) const;
    bool moves_to_others(std::size_t touched_bytes, int cpus, int l3_groups = 1) const;

    /// Whether so many members of that collective use non-temporal stores to others even if others would not,
    /// because they combine.
    bool streams_combined(Collective collective, std::size_t touched_bytes, int members) const;

    /// The ways for `stores` in this situation.
    WaysToStore ways_to_store(tuning::Stores stores, const StoreSituation& where) const;

    /// Whether two members rather combine everything each for itself than store to each other.
    bool pulls_between_two(std::size_t touched_bytes) const;

    /// Whether the owner of a block stores it for all that want it, instead of their fetching it.
    bool pushes(std::size_t touched_bytes, int l3_groups = 1) const;

    /// Whether the results of an allreduce are fetched by all rather than stored to them.
    bool fetches_results(std::size_t touched_bytes, int members, int cpus, int l3_groups = 1) const;

private:
    enum class Way : std::uint8_t { plain, moved, streamed };

    /// The cheapest way to write lines that other CPUs have read.
    static Way cheapest(const machine::Thresholds& profile);
    bool is_full(const machine::Reach& reach, std::size_t touched_bytes, int cpus, int l3_groups) const;

    machine::Thresholds profile_;
    std::size_t l2_caches_;
    Way to_others_;
};

} // namespace tutti::engine
