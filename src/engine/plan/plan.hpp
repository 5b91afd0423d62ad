#pragma once

#include "cache_line.hpp"
#include "plan/step.hpp"
#include "schedule/synchronise.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace tutti::plan {

/// How the elements of a vector are divided into blocks: equal blocks of `block` elements (the last ones
/// shorter or empty), or, with `offsets` (blocks + 1 of them), any way at all.
struct Partition {
    std::size_t total = 0;
    std::size_t block = 0;
    const std::size_t* offsets = nullptr;

    /// The first element of block `index`; of index = blocks: the end of the vector.
    std::size_t offset(std::size_t index) const {
        return index == 0 ? 0 : offsets != nullptr ? offsets[index] : std::min(index * block, total);
    }

    /// The elements of `count` blocks from `first` on, not wrapping around.
    [[gnu::always_inline]] std::size_t elements(std::size_t first, std::size_t count) const {
        return offset(first + count) - offset(first);
    }
};

/// Elements of each of `blocks` equal blocks of a vector that may be divided anyhow. Blocks that are not
/// small start on cache lines (of a vector that does), so that no two members write to one line.
inline std::size_t free_block(std::size_t total, std::size_t blocks, std::size_t element_bytes) {
    const std::size_t block = (total + blocks - 1) / blocks;
    const bool divides = line_bytes % element_bytes == 0;
    constexpr std::size_t small_lines = 8;
    if (!divides || block * element_bytes < small_lines * line_bytes) {
        return block;
    }
    const std::size_t of_a_line = line_bytes / element_bytes;
    return (block + of_a_line - 1) / of_a_line * of_a_line;
}

/// The place of a block in a vector, in elements.
struct BlockPlace {
    std::size_t start = 0;
    std::size_t count = 0;
};

/// Ranks and blocks are 16-bit numbers in a plan.
inline constexpr int most_members = 65535;

/// A plan as one exchange: the member sends its whole message (in a barrier, nothing) or does not, and
/// combines those of consecutive members, perhaps its own among them.
struct Exchange {
    /// Whether the plan is that.
    bool is_all = false;
    bool sends = false;
    /// Instead of combining the messages of all, it stores them one after the other.
    bool gathers = false;
    std::uint16_t first = 0;
    std::uint16_t count = 0;
    /// The first step with a point, which all others that have one share.
    std::uint16_t step = 0;
};

/// One member's part of one algorithm by one protocol, for any number of bytes.
struct Plan {
    int ranks = 1;
    int rank = 0;
    int blocks = 1;
    schedule::Protocol protocol = schedule::Protocol::zero_copy;
    /// The points of one operation: the epoch grows by this number.
    std::uint32_t points = 1;
    /// The number of scratch buffers; at most one if there are several blocks.
    std::uint32_t scratch_vectors = 0;
    /// The range of blocks that a scratch buffer holds; it may wrap around.
    schedule::Blocks scratch;
    std::vector<Step> steps;
    /// The operands and targets to which steps refer (Step::list()).
    std::vector<Operand> operands;
    /// Whether any step carries a message.
    bool carries = false;
    /// Whether the first step publishes something. The functions below that change a plan keep that.
    bool publishes_first = false;
    Exchange exchange;
};

/// The operands that a step lists.
inline std::span<const Operand> operands_of(const Plan& plan, const Step& step) {
    return std::span(plan.operands).subspan(step.list(), step.operands());
}

/// The places that a step lists after its operands.
inline std::span<const Operand> targets_of(const Plan& plan, const Step& step) {
    return std::span(plan.operands).subspan(step.list() + std::size_t{step.operands()}, step.targets());
}

/// The receive step for the message of member `rank`, made from a step that takes several messages.
constexpr Step received_from(const Step& step, int rank) {
    Step one = step;
    one.code = Code::receive;
    one.set_peer(rank);
    return one;
}

/// The same for an operand that the step lists.
constexpr Step received_from(const Step& step, const Operand& operand) {
    Step one = step;
    one.code = Code::receive;
    one.left = operand.vector;
    one.slot = operand.slot;
    one.whole = operand.whole;
    one.set_peer(operand.peer);
    one.set_from(step.first);
    one.set_point(operand.point());
    return one;
}

/// The slot of a point if each member has `slots` of them. Slot 0 is for point 0, which publishes addresses;
/// the other points use the other slots in turn.
constexpr std::uint8_t slot_of(int point, int slots) {
    return static_cast<std::uint8_t>(point == 0 ? 0 : 1 + (point - 1) % (slots - 1));
}

/// The number of slots a member needs for one operation among `ranks` members.
int slots_per_operation(int ranks);

/// Compiles the plan of member `rank`. Throws schedule::TooLarge if ranks or blocks exceed 65535, and
/// std::invalid_argument if the schedule needs more than one scratch buffer of more than one block, if it
/// carries more points than there are slots, or if a move combines blocks of different numbers.
Plan compile(const schedule::Synchronised& synchronised, int rank);

/// The plan for blocks of any size and place. Only the sender knows a block's place in its input, and only
/// the receiver its place in the output. After entering, a member compares the lengths with those of each
/// sender, and copies only then. Throws std::invalid_argument if the plan does more than to copy blocks from
/// inputs to its own output.
///
/// The lengths and places of a member's blocks are listed by their numbers in the schedule.
Plan for_neighbor_exchange(Plan plan);

/// The same if they are listed by the rank of the other member.
Plan for_irregular_exchange(Plan plan);

/// The plan for outputs that are one buffer, shared by all members: a store to every member is made once. The
/// proof for separate buffers also holds here: no two members write to the same block, and each writes after
/// all have entered and before any returns. Throws std::invalid_argument if the plan reads an output, or
/// writes to some outputs only.
Plan for_shared_output(Plan plan);

} // namespace tutti::plan
