#pragma once

#include "schedule/synchronise.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tutti::plan {

/// Ranks and blocks are 16-bit numbers in a plan.
inline constexpr int most_members = 65535;

/// What one step does. "Peer" is Step::peer; vectors are named by Step::to, left and right.
enum class Code : std::uint8_t {
    enter,                   ///< publish point 0 with the addresses of one's vectors
    open,                    ///< await point 0 of the peer and take its addresses
    open_every,              ///< the same of every other member
    await,                   ///< await a point of the peer
    await_every,             ///< await a point of every other member
    publish,                 ///< publish a point
    carry,                   ///< publish a point together with the bytes of `left`
    receive,                 ///< await a point of the peer and take the bytes it carries
    copy,                    ///< to = left
    copy_to_every,           ///< to (of every member) = left
    copy_received,           ///< to = received bytes
    reduce,                  ///< to = left op right
    reduce_received,         ///< to = left op received bytes
    reduce_every,            ///< to = left of member 0 op left of member 1 op ...
    reduce_every_to_every,   ///< to (of every member) = left of member 0 op left of member 1 op ...
    reduce_every_received,   ///< the same of the bytes that every member carries
    reduce_first,            ///< to = left of member 0 op ... op left of member peer - 1
    reduce_first_received,   ///< the same of the bytes that these members carry
    reduce_listed,           ///< to = the plan's operands from .. from + peer - 1, bracketed as a tree
    reduce_listed_to_listed, ///< the same, and to of the `point` members that the plan lists after them
    reduce_listed_received,  ///< reduce_listed of the bytes that the peers among them carry
    scan_every,              ///< to of member j = left of member 0 op ... op left of member j, for every j
    exscan_every,            ///< the same without member j itself
    match,                   ///< open the peer and compare how much it sends with how much is expected
    match_every,             ///< the same of every other member
    exchange, ///< copy, from where `left`'s member says that the block is, to where it is expected
};

/// A vector as a step names it: whose, which, and whether its blocks lie one vector length further on
/// (scratch vectors are as short as their blocks allow, and their blocks may wrap around).
class Vector {
public:
    constexpr Vector() = default;
    constexpr Vector(schedule::Space space, bool remote, bool lapped)
        : bits_(static_cast<std::uint8_t>(static_cast<unsigned>(space) | (remote ? 8U : 0U) |
                                          (lapped ? 16U : 0U))) {}

    constexpr std::size_t space() const { return bits_ & 7U; }
    constexpr bool is(schedule::Space space) const {
        return this->space() == static_cast<std::size_t>(space);
    }
    constexpr bool remote() const { return (bits_ & 8U) != 0; }
    constexpr bool lapped() const { return (bits_ & 16U) != 0; }

private:
    std::uint8_t bits_ = 0;
};

/// One step of a plan. Blocks are `count` from `first` on, and never wrap around.
struct Step {
    Code code = Code::enter;
    Vector to;
    Vector left;
    Vector right;
    std::uint16_t peer = 0;
    std::uint16_t first = 0;
    /// The first block of `left`; of `right` and of what is received as well.
    std::uint16_t from = 0;
    std::uint16_t count = 0;
    std::uint16_t point = 0;
    std::uint8_t slot = 0;
    /// For received bytes: whether the payload is the whole vector (else it is exactly these blocks).
    std::uint8_t whole = 0;
};

static_assert(sizeof(Step) == 16, "four steps to a cache line");

/// One of the operands that a step combines in one pass: the step's blocks of a vector of a member, or the
/// bytes that it carries. Or one of the places to which it stores.
struct Operand {
    std::uint16_t peer = 0;
    /// Where the peer carries it: as in a step.
    std::uint16_t point = 0;
    std::uint8_t slot = 0;
    std::uint8_t whole = 0;
    Vector vector;
    /// Nothing: what is equal has equal bytes.
    std::uint8_t unused = 0;
};

/// One member's part of one algorithm in one form, for any number of bytes.
struct Plan {
    int ranks = 1;
    int rank = 0;
    int blocks = 1;
    schedule::Form form = schedule::Form::separate;
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
    /// member carries.
    bool exchanges_once = false;
};

/// The operand of a step that lists them, by its number there, as a step of its own: how it is awaited, and
/// found in what is carried.
inline Step step_of_listed(const Plan& plan, const Step& step, int number) {
    const Operand& operand = plan.operands[static_cast<std::size_t>(step.from + number)];
    Step one = step;
    one.left = operand.vector;
    one.peer = operand.peer;
    one.from = step.first;
    one.point = operand.point;
    one.slot = operand.slot;
    one.whole = operand.whole;
    return one;
}

/// How many places a step lists after its operands: it stores to them besides its own.
constexpr int targets_of_listed(const Step& step) {
    return step.code == Code::reduce_listed_to_listed ? step.point : 0;
}

/// Of these the one of this number.
inline const Operand& target_of_listed(const Plan& plan, const Step& step, int number) {
    return plan.operands[static_cast<std::size_t>(step.from + step.peer + number)];
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
