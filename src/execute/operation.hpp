#pragma once

#include "execute/claim.hpp"
#include "execute/footprint.hpp"
#include "plan/partition.hpp"
#include "plan/plan.hpp"
#include "schedule/schedule.hpp"

#include <tutti/detail/kernels.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::execute {

/// Where a member's vectors start, each as if it were whole: the output of a reduce-scatter starts where
/// block 0 would be. Addresses, not pointers, since those places need not exist.
struct Bases {
    std::array<std::uintptr_t, schedule::space_count> at{};

    std::uintptr_t operator[](schedule::Space space) const { return at[static_cast<std::size_t>(space)]; }
    std::uintptr_t& operator[](schedule::Space space) { return at[static_cast<std::size_t>(space)]; }
};

/// An irregular all-to-all needs no scratch. In its place a member shows where the blocks of its input start,
/// in elements, where the last one ends, and how many elements its output has.
inline const std::size_t* sent_offsets(const Bases& bases) {
    return reinterpret_cast<const std::size_t*>( // NOLINT(performance-no-int-to-ptr)
        bases[schedule::Space::scratch0]);
}
inline void set_sent_offsets(Bases& bases, const std::size_t* offsets) {
    bases[schedule::Space::scratch0] = reinterpret_cast<std::uintptr_t>(offsets);
}

/// Scratch vectors lie one after the other, `stride_bytes` apart.
inline void set_scratch_bases(Bases& bases, std::uintptr_t first, std::size_t stride_bytes) {
    for (auto space = static_cast<std::size_t>(schedule::Space::scratch0); space < bases.at.size(); ++space) {
        bases.at[space] = first;
        first += stride_bytes;
    }
}

/// One call of one member, ready to run.
struct Operation {
    const plan::Plan* plan = nullptr;
    Bases own;
    plan::Partition partition;
    std::size_t element_bytes = 1;
    const detail::Kernels* kernels = nullptr;
    const void* state = nullptr;
    /// What all members must agree on, and what they show of it.
    Claim claim;
    Claim::Marks marks;
    std::size_t scratch_stride_bytes = 0;
    Footprint footprint;
    /// Words that a slot carries, in the carried form.
    int carried_words = 1;
    /// The message does not fit into a slot and goes over the stage; the slot then carries the digest.
    bool staged = false;
    /// How the member's own vectors are written, and how those of all members.
    detail::Stores own_stores;
    detail::Stores all_stores;
    /// This member sends messages in its slots.
    bool carries = false;
    /// The plan is one exchange of messages of at most one word, whose bytes these are; see
    /// Executor::exchange_words.
    bool exchanges_words = false;
    std::uint8_t word_bytes = 0;
    /// The output is one vector for all members, who must give the same.
    bool shares_output = false;
    /// What it leaves depends on every member's input, so that nobody can be through before all have entered.
    bool settles = false;
};

} // namespace tutti::execute
