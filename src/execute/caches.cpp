#include "execute/caches.hpp"

#include "tuning/load.hpp"

#include <algorithm>
#include <string>

namespace tutti::execute {

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// On an AMD Zen 4 plain stores take lines that another CPU has read back one by one, 20 ns a line.
/// Streaming to the other members' vectors, allreduce, reduce and scan of 16 KiB to 1 MiB take there 0.2 to
/// 0.5 times as long between two cores, and 0.5 to 1.9 times between two threads of one core, which share the
/// lines. Prefetching for writing and string moves change nothing.
constexpr std::size_t lines_worth_streaming_bytes = 16 * kib;

/// Intel's server processors have L2 caches of this size or more, and behind them an L3 over the whole mesh
/// (the 480 MiB that two CPUs of a virtual machine see are not theirs). Streaming to others pays from one and
/// a half times the members' L2 caches on, to a member's own vector from three times on, measured with 2 MiB
/// of L2 and 2 to 8 members on 2 CPUs (docs/performance.md). Their L3 does not matter.
constexpr std::size_t large_l2_bytes = 1 * mib;
constexpr std::size_t others_l2_halves = 3;
constexpr std::size_t own_l2_halves = 6;

/// There, an allreduce of two members that pull everything and combine alone takes 0.8 to 0.95 times as long
/// while so many bytes are touched; where lines are taken back one by one that is so up to 4 KiB, and 1.1 to
/// 3 times as long beyond. Rejected: streaming to others where their vectors lie in L1. That takes 0.7 to 0.9
/// times as long where they have been read in between, but up to 2 times where they have been written or
/// nothing has been done to them.
constexpr std::size_t worth_pulling_bytes = 256 * kib;
constexpr std::size_t worth_pulling_from_slow_lines_bytes = 16 * kib;

/// There, pushing an allgather takes 2 to 0.9 times as long as pulling below so many bytes, and 0.8 from
/// there on; a broadcast 1.6 to 0.9, and 0.8 to 0.5.
constexpr std::size_t worth_pushing_bytes = 512 * kib;

constexpr std::size_t without_l3_bytes = 32 * mib;

} // namespace

std::size_t touched_bytes(detail::Kind kind, std::size_t total_bytes, int members) {
    const auto vectors = static_cast<std::size_t>(members);
    switch (kind) {
    case detail::Kind::allreduce:
    case detail::Kind::alltoall:
    case detail::Kind::scan:
    case detail::Kind::exscan:
    case detail::Kind::shift:
        return 2 * vectors * total_bytes;
    case detail::Kind::gather:
    case detail::Kind::scatter:
        return 2 * total_bytes;
    default:
        return (vectors + 1) * total_bytes;
    }
}

Caches::Caches(const machine::Machine& machine)
    : l2_bytes_(machine.l2_bytes), l2_caches_(static_cast<std::size_t>(std::max(machine.l2_groups(), 1))),
      l3_bytes_(machine.l3_bytes != 0 ? machine.l3_bytes : without_l3_bytes),
      takes_lines_back_one_by_one_(machine.model.starts_with("AMD")),
      lives_in_l2_(machine.model.find("Xeon") != std::string::npos && l2_bytes_ >= large_l2_bytes) {}

const Caches& Caches::here() {
    static const Caches caches(tuning::this_machine());
    return caches;
}

std::size_t Caches::reach_bytes(int cpus, int l3_groups, std::size_t l2_halves) const {
    // On 32 MiB of L3 writing past the caches takes 1.2-1.9 times as long as plain stores where half of it is
    // touched, 0.6-1.1 where it is full, 0.6-0.7 at twice that.
    const std::size_t caches = std::min(static_cast<std::size_t>(cpus), l2_caches_);
    return lives_in_l2_ ? std::min(l3_bytes(l3_groups), caches * l2_bytes_ / 2 * l2_halves)
                        : l3_bytes(l3_groups);
}

bool Caches::streams_to_own(std::size_t touched_bytes, int cpus, int l3_groups) const {
    return touched_bytes >= reach_bytes(cpus, l3_groups, own_l2_halves);
}

bool Caches::streams_to_others(std::size_t touched_bytes, int cpus, int l3_groups) const {
    if (takes_lines_back_one_by_one_) {
        return touched_bytes >= lines_worth_streaming_bytes;
    }
    return touched_bytes >= reach_bytes(cpus, l3_groups, others_l2_halves);
}

bool Caches::pulls_between_two(std::size_t touched_bytes) const {
    return touched_bytes <= (lives_in_l2_ ? worth_pulling_bytes : worth_pulling_from_slow_lines_bytes);
}

bool Caches::pushes(std::size_t touched_bytes, int l3_groups) const {
    const std::size_t full_bytes = l3_bytes(l3_groups);
    return touched_bytes >= (lives_in_l2_ ? std::min(worth_pushing_bytes, full_bytes) : full_bytes);
}

} // namespace tutti::execute
