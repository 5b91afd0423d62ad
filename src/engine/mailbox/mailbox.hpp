#pragma once

#include "mailbox/event_count.hpp"
#include "mailbox/slot.hpp"

#include <algorithm>
#include <new>
#include <type_traits>

namespace tutti::library {

/// Memory of zero bytes straight from the system, which takes room only where it is touched, page by page,
/// and near the thread that touches it first: in small pages, so that the words that a member shows lie on
/// its node.
class ZeroPages : Immovable {
public:
    /// Throws std::bad_alloc.
    explicit ZeroPages(std::size_t bytes);
    ~ZeroPages();

    /// On a page.
    std::byte* data() const { return start_; }

private:
    std::byte* start_;
    std::size_t bytes_;
};

/// Objects in zero pages. Their constructors are not called, because they would touch the pages, each of
/// which must lie near the member that touches it first.
///
/// A type may live there if its constructor leaves nothing but zero bytes, which a test checks of each, and
/// its destructor does nothing. Atomic words are no implicit-lifetime types, so by the letter their lifetime
/// must be begun. The compiler cannot make use of that: it does not see what mmap() does, and must assume
/// that the objects are there.
template <class T>
T* objects_in(std::byte* pages) {
    static_assert(std::is_trivially_destructible_v<T>, "they live in pages that are just given back");
    return std::launder(reinterpret_cast<T*>(pages));
}

} // namespace tutti::library

namespace tutti::mailbox {

/// A member's board: the words that it publishes besides its slots, in one cache line. The next line stays
/// unused, because some processors fetch lines in pairs.
template <class Word, class Event>
struct alignas(paired_lines_bytes) BasicBoard {
    /// The event count on which threads sleep until the member publishes something.
    Event event;
    /// Twice the epoch of the member's current or last operation, plus inside_bit while the member may access
    /// other members' buffers.
    Word progress;
};

/// The lowest bit of a member's progress.
inline constexpr std::uint64_t inside_bit = 1;

/// With 16 sets, a member that only sends can be 16 operations ahead. Operations that synchronise use fewer
/// sets, which stay in the L1 cache; large groups have no others.
inline constexpr unsigned most_sets = 16;
inline constexpr unsigned most_synchronised_sets = 4;
/// A member that finds messages at its first look is behind their senders. It then fetches the slots of the
/// operation after so many more, because their lines can travel while it is in the operations before. With
/// one or two instead, a broadcast of a word takes 1.7 times as long; with eight, 1.3 times.
inline constexpr unsigned operations_fetched_ahead = 3;

/// The memory through which the members of a group exchange their publications: for each member some sets of
/// slots, each with a staging buffer, which operations use in turn, and a board. The caller of the
/// constructor owns the memory, which must be zero.
template <class SlotType, class WordType, class EventType>
class BasicMailbox {
public:
    using Slot = SlotType;
    using Word = WordType;
    using Event = EventType;
    using Board = BasicBoard<WordType, EventType>;

    /// `failed` is not 0 once the group has failed.
    BasicMailbox(Slot* slots, int slots_per_operation, unsigned sets, StagingBuffer* staging_buffers,
                 Board* boards, const Word& failed)
        : slots_(slots), slots_per_operation_(static_cast<std::size_t>(slots_per_operation)), sets_(sets),
          synchronised_sets_(std::min(sets, most_synchronised_sets)), staging_buffers_(staging_buffers),
          boards_(boards), failed_(&failed) {}

    /// The number of sets per member, 2 to most_sets.
    unsigned sets() const { return sets_; }
    /// The number of those in which operations that synchronise follow each other.
    unsigned synchronised_sets() const { return synchronised_sets_; }

    /// The slots of one member in one set.
    Slot* slots(int member, unsigned set) const {
        return slots_ + static_cast<std::size_t>(member) * slots_per_member() + set * slots_per_operation_;
    }
    std::size_t slots_per_set() const { return slots_per_operation_; }
    /// The distance between the slots of consecutive members.
    std::size_t slots_per_member() const { return sets_ * slots_per_operation_; }

    /// Fetches what `member`, the owner of `slot`, one of `set`, publishes there operations_fetched_ahead
    /// later, and so many bytes of its staging buffer.
    void fetch_ahead(const Slot& slot, unsigned set, int member, std::size_t bytes) const {
        if (sets_ != most_sets) {
            return;
        }
        const unsigned ahead = (set + operations_fetched_ahead) % most_sets;
        __builtin_prefetch(&slot - set * slots_per_operation_ + ahead * slots_per_operation_);
        for (std::size_t at = 0; at < bytes; at += line_bytes) {
            __builtin_prefetch(staging(member, ahead) + at);
        }
    }

    std::byte* staging(int member, unsigned set) const {
        return staging_buffers_[static_cast<std::size_t>(member) * sets_ + set].bytes;
    }

    Board& board(int member) const { return boards_[member]; }

    /// Wakes threads that wait for this member.
    void notify(int member) const { event(member).notify_if_needed(); }
    /// The event count on which they sleep.
    Event& event(int member) const { return boards_[member].event; }

    /// Acquire: pairs with the release of the thread that records the failure.
    bool has_failed() const { return failed_->observe() != 0; }

private:
    Slot* slots_;
    std::size_t slots_per_operation_;
    unsigned sets_;
    unsigned synchronised_sets_;
    StagingBuffer* staging_buffers_;
    Board* boards_;
    const Word* failed_;
};

/// The mailbox of a channel. All its members notify one event count, because a thread can sleep on one only.
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
