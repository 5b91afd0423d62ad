#pragma once

#include "mailbox/cell.hpp"
#include "mailbox/doorbell.hpp"
#include "mailbox/slot.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::mailbox {

/// What a member shows besides its slots, on one line; and one free, since some processors fetch lines in
/// pairs.
template <class Word, class Bell>
struct alignas(2 * line_bytes) BasicBoard {
    /// Rings for those that sleep until the member shows something.
    Bell bell;
    /// How far the member is: twice the epoch of its current or last operation, and 1 while it is in one in
    /// which it may read and write the vectors of the others.
    Word progress;
};

/// The lowest bit of a member's progress.
inline constexpr std::uint64_t inside_bit = 1;

/// The memory through which the members of a group exchange what they publish: of each member two sets of
/// slots and two stages, which operations use in turn, and a board. It belongs to who makes it, and zero
/// bytes are what it starts with.
template <class SlotType, class WordType, class BellType>
class BasicMailbox {
public:
    using Slot = SlotType;
    using Word = WordType;
    using Board = BasicBoard<WordType, BellType>;

    /// `failed` is not 0 once the group has failed.
    BasicMailbox(Slot* slots, int slots_per_operation, Stage* stages, Board* boards, const Word& failed)
        : slots_(slots), slots_per_member_(parities * static_cast<std::size_t>(slots_per_operation)),
          stages_(stages), boards_(boards), failed_(&failed) {}

    /// The slots of one member for operations of one parity.
    Slot* slots(int member, unsigned parity) const {
        return slots_ + static_cast<std::size_t>(member) * slots_per_member_ +
               parity * slots_per_member_ / parities;
    }
    /// How far apart those of two members are that follow each other.
    std::size_t slots_per_member() const { return slots_per_member_; }

    std::byte* stage(int member, unsigned parity) const {
        return stages_[static_cast<std::size_t>(member) * parities + parity].bytes;
    }

    Board& board(int member) const { return boards_[member]; }

    /// Acquire: pairs with the release of whoever records the failure.
    bool has_failed() const { return failed_->observe() != 0; }

    static constexpr unsigned parities = 2;

private:
    Slot* slots_;
    std::size_t slots_per_member_;
    Stage* stages_;
    Board* boards_;
    const Word* failed_;
};

using Board = BasicBoard<StdWord, Doorbell>;
using Mailbox = BasicMailbox<Slot, StdWord, Doorbell>;

} // namespace tutti::mailbox
