#pragma once

#include "machine/machine.hpp"

#include <cstddef>
#include <string>

namespace tutti::machine {

/// Notes how this processor names itself: its model, vendor and family. x86 processors have instructions for
/// it; others are described in /proc/cpuinfo, which some kernels take milliseconds to write. The kernel of a
/// virtual machine that was moved may still know the processor that it was started on.
void note_this_processor(Machine& machine);

} // namespace tutti::machine

/// The costs of lines and caches of a machine, as named quantities.
namespace tutti::machine {

/// The source of thresholds.
///
/// - guess: nobody; the values are cautious on any machine
/// - family: measured on another machine with a processor of this family
enum class ThresholdSource { guess, family };

/// The size at which caches are full: so many bytes for each L2 that members use, or for each L3 if that is
/// less.
struct Reach {
    std::size_t l2_bytes = 0; ///< 0: the L2 caches do not matter
    std::size_t l3_bytes = 0;

    std::size_t bytes(std::size_t l2_caches, std::size_t l3_caches) const;

    bool operator==(const Reach&) const = default;
};

/// The thresholds of a machine. Bytes are those that all members' vectors have together, unless stated
/// otherwise; 0 ns is an unknown cost.
struct Thresholds {
    ThresholdSource source = ThresholdSource::guess;
    std::string processor = {}; ///< the family's name; empty for a guess

    /// The cost of writing a line that another CPU has read since it was written: by plain stores, which
    /// invalidate the copy first, by rep movsb out of the writer's caches, and by non-temporal stores.
    double plain_line_ns = 0;
    double moved_line_ns = 0;
    double streamed_line_ns = 0;
    /// From here on lines of others are written in the cheapest of these ways; below, by plain stores.
    std::size_t lines_from_bytes = 0;

    /// From here on two members that combine, and three or more that scan, use non-temporal stores to each
    /// other, whatever a line costs. 0: they do as others do.
    std::size_t stream_combined_bytes = 0;

    /// The sizes from which on non-temporal stores pay, whatever a line costs: to others' vectors, and to
    /// one's own. The latter differs if all that is stored was combined, and if the same is stored to others
    /// as well.
    Reach stream_to_others = {};
    Reach stream_to_own = {};
    Reach stream_combined_to_own = {};
    Reach stream_pushed_to_own = {};

    /// From here on the owner of a block stores it for all that want it, instead of their fetching it; so
    /// also if a member's own vector is streamed for want of an L3. 0: there only.
    std::size_t push_bytes = 0;
    /// From here on, until stores to others are streamed, the members of an allreduce fetch each other's
    /// results. 0: never, they store them to all.
    std::size_t fetch_results_bytes = 0;
    /// Up to here two members rather combine everything each for itself than store to each other.
    std::size_t pull_between_two_bytes = 0;
    /// The same for a scan, of which one of them has less to combine.
    std::size_t scan_between_two_bytes = 0;
    /// The bytes that one member may read of all before the work is better shared.
    std::size_t read_by_one_bytes = 0;

    /// From here on a thread that has the vectors of all members gives parts of the pass over them to other
    /// threads, which have to wake up and to fetch lines that lie in its caches. 0: never.
    std::size_t parallel_threshold_bytes = 0;

    /// How long a member spins, and then yields, before it sleeps; and how long it yields if members share
    /// CPUs.
    double spin_ns = 0;
    double yield_ns = 0;
    double crowded_yield_ns = 0;

    bool operator==(const Thresholds&) const = default;
};

/// The thresholds of the machine's processor family, or a guess if that is in no table.
Thresholds family_thresholds(const Machine& machine);

/// "family AMD Zen 5" or "guess".
std::string source_text(const Thresholds& profile);

/// Lines for a reader, aligned: their source, then each number with its unit.
std::string describe(const Thresholds& profile);

} // namespace tutti::machine
