#pragma once

#include "cache_line.hpp"
#include "mailbox/cell.hpp"
#include "mailbox/event_count.hpp"
#include "mailbox/slot.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::mailbox {

/// What a member shows besides its slots, on one line; and one free, since some processors fetch lines in
/// pairs.
template <class Word, class Event>
struct alignas(paired_lines_bytes) BasicBoard {
    /// Counter for those that sleep until the member shows something.
    Event event;
    /// How far the member is: twice the epoch of its current or last operation, and 1 while it is in one in
    /// which it may read and write the vectors of the others.
    Word progress;
};

/// The lowest bit of a member's progress.
inline constexpr std::uint64_t inside_bit = 1;

/// With two sets, a member whose messages nobody answers would look at every operation how far the others
/// are; with so many, at every third.
inline constexpr unsigned most_sets = 4;

/// The memory through which the members of a group exchange what they publish: of each member some sets of
/// slots, each with a staging buffer, which operations use in turn, and a board. It belongs to who makes it,
/// and zero bytes are what it starts with.
template <class SlotType, class WordType, class EventType>
class BasicMailbox {
public:
    using Slot = SlotType;
    using Word = WordType;
    using Event = EventType;
    using Board = BasicBoard<WordType, EventType>;

    /// `failed` is not 0 once the group has failed.
    BasicMailbox(Slot* slots, int slots_per_operation, unsigned sets, StagingBuffer* stages, Board* boards,
                 const Word& failed)
        : slots_(slots), slots_per_operation_(static_cast<std::size_t>(slots_per_operation)), sets_(sets),
          stages_(stages), boards_(boards), failed_(&failed) {}

    /// How many there are of each member, 2 to most_sets.
    unsigned sets() const { return sets_; }

    /// The slots of one member in one set.
    Slot* slots(int member, unsigned set) const {
        return slots_ + static_cast<std::size_t>(member) * slots_per_member() + set * slots_per_operation_;
    }
    std::size_t slots_per_set() const { return slots_per_operation_; }
    /// How far apart those of two members are that follow each other.
    std::size_t slots_per_member() const { return sets_ * slots_per_operation_; }

    std::byte* staging(int member, unsigned set) const {
        return stages_[static_cast<std::size_t>(member) * sets_ + set].bytes;
    }

    Board& board(int member) const { return boards_[member]; }

    /// Wakes those that wait for what the member has just shown.
    void notify(int member) const { event(member).notify_if_needed(); }
    /// Where these sleep.
    Event& event(int member) const { return boards_[member].event; }

    /// Acquire: pairs with the release of whoever records the failure.
    bool has_failed() const { return failed_->observe() != 0; }

private:
    Slot* slots_;
    std::size_t slots_per_operation_;
    unsigned sets_;
    StagingBuffer* stages_;
    Board* boards_;
    const Word* failed_;
};

/// A mailbox of one of several operations that a member has outstanding. All members of all these mailboxes
/// notify one event count: a thread that waits for several members can sleep on one only.
template <class BaseMailbox, class EventType>
class BasicChannelMailbox : public BaseMailbox {
public:
    BasicChannelMailbox(const BaseMailbox& mailbox, EventType& event)
        : BaseMailbox(mailbox), event_(&event) {}

    void notify(int member) const { event(member).notify_if_needed(); }
    EventType& event(int /*member*/) const { return *event_; }

private:
    EventType* event_;
};

using Board = BasicBoard<StdWord, EventCount>;
using Mailbox = BasicMailbox<Slot, StdWord, EventCount>;
using ChannelMailbox = BasicChannelMailbox<Mailbox, EventCount>;

} // namespace tutti::mailbox
