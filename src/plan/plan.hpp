#pragma once

#include "plan/step.hpp"
#include "schedule/synchronise.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::plan {

/// Ranks and blocks are 16-bit numbers in a plan.
inline constexpr int most_members = 65535;

/// One member's part of one algorithm by one protocol, for any number of bytes.
struct Plan {
    int ranks = 1;
    int rank = 0;
    int blocks = 1;
    schedule::Protocol protocol = schedule::Protocol::zero_copy;
    /// Points per operation: by so much the epoch grows.
    std::uint32_t points = 1;
    /// Scratch vectors in use: any number when there is one block, else at most one.
    std::uint32_t scratch_vectors = 0;
    /// The blocks that there are of a scratch vector, cyclic.
    schedule::Blocks scratch;
    std::vector<Step> steps;
    /// What its steps list.
    std::vector<Operand> operands;
    /// Whether any step carries a message.
    bool carries = false;
    /// Whether the steps are: carry the whole vector (or, of a barrier, nothing) and take what every other
    /// member carries. A single member only takes its own.
    bool exchanges_once = false;
};

/// The operands that a step lists.
inline std::span<const Operand> operands_of(const Plan& plan, const Step& step) {
    return std::span(plan.operands).subspan(step.list(), step.operands());
}

/// The places that a step lists after its operands.
inline std::span<const Operand> targets_of(const Plan& plan, const Step& step) {
    return std::span(plan.operands).subspan(step.list() + std::size_t{step.operands()}, step.targets());
}

/// A step that takes the messages of several members, as one that receives that of the member of this rank.
constexpr Step received_from(const Step& step, int rank) {
    Step one = step;
    one.code = Code::receive;
    one.set_peer(rank);
    return one;
}

/// The same of an operand that the step lists.
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

/// The slot of a point when each member has `slots` of them: point 0, which carries addresses, has one to
/// itself, the others take turns.
constexpr std::uint8_t slot_of(int point, int slots) {
    return static_cast<std::uint8_t>(point == 0 ? 0 : 1 + (point - 1) % (slots - 1));
}

/// The number of slots a member needs for one operation among `ranks` members.
int slots_per_operation(int ranks);

/// Compiles the program of `rank`. Throws schedule::TooLarge when ranks or blocks exceed 65535, and
/// std::invalid_argument when the schedule keeps blocks in more than one scratch vector, when it carries more
/// points than there are slots, or when a move combines blocks of different numbers.
Plan compile(const schedule::Synchronised& synchronised, int rank);

/// The plan for blocks that lie anywhere and may have any size. Where a block is in its sender's input only
/// the sender knows, and where it goes only the receiver: after entering, the member compares its counts with
/// those of all whose blocks it receives, and only then copies. Throws std::invalid_argument when the plan
/// does more than to copy blocks from inputs to its own output.
Plan for_irregular_exchange(Plan plan);

/// The plan for outputs that are one vector, which all members share: what is stored to every member is
/// stored once. Where outputs are only written, and always those of all members at once, the proof for
/// vectors of their own holds for that one as well: it says that no two members write to a block of it, that
/// each writes after all members have entered and before any of them returns, and that its blocks hold what
/// they should. Throws std::invalid_argument when the plan does anything else with an output.
Plan for_shared_output(Plan plan);

} // namespace tutti::plan
