#pragma once

#include "mailbox/mailbox.hpp"
#include "run/cursor.hpp"
#include "run/digests.hpp"
#include "run/prepared.hpp"

#include <tutti/detail/association.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tutti::run {

/// Of as many members as a plan may have.
inline constexpr int most_partial_results =
    detail::partial_results(std::numeric_limits<std::uint16_t>::max(), detail::Association::tree);

/// One exchange of messages of at most one word: a member publishes its own, and combines those of all when
/// they are there. What counts is the time from one word's arrival to the departure of the next. Whatever the
/// next exchange needs is therefore worked out before that arrival: see advance().
template <class Mailbox>
class WordExchange {
public:
    using Slot = typename Mailbox::Slot;

    /// Where the words of an operation are.
    struct Place {
        /// That of member 0.
        const Slot* slots;
        std::uint64_t tag;
    };

    /// Of no operation.
    WordExchange() = default;
    /// Of an operation for whose slots the member need not wait.
    WordExchange(const Mailbox& mailbox, const Cursor& cursor, const Prepared& prepared)
        : mailbox_(&mailbox), prepared_(&prepared), board_(&mailbox.board(prepared.plan->rank)),
          event_(&mailbox.event(prepared.plan->rank)), stride_(mailbox.slots_per_member()),
          own_(static_cast<std::size_t>(prepared.plan->rank) * stride_),
          last_(static_cast<std::size_t>(prepared.plan->ranks - 1) * stride_), epoch_(cursor.epoch) {
        const plan::Step& step = prepared.plan->steps.front(); // the others take the same point's slot
        first_set_ = mailbox.slots(0, 0) + step.slot;
        slots_ = mailbox.slots(0, cursor.set) + step.slot;
        tag_ = mailbox::make_tag(epoch_ + step.point(),
                                 prepared.digests.fingerprint ^ fingerprint_of_history(cursor.history));
    }

    bool operator==(const WordExchange&) const = default;
    /// Whether it is that of the operation at the cursor.
    bool is_at(const Cursor& cursor) const { return epoch_ == cursor.epoch; }
    Place place() const { return {slots_, tag_}; }

    /// Goes on to the next operation of a cursor that is at this one. That operation repeats this one, which
    /// synchronises: it leaves the history as it is, and the slots of the next set free.
    [[gnu::always_inline]] void advance(const Cursor& cursor) {
        const std::uint64_t points = prepared_->plan->points;
        epoch_ += points;
        tag_ += mailbox::make_tag(points, 0);
        slots_ = cursor.next_set(mailbox_->sets()) == 0 ? first_set_ : slots_ + mailbox_->slots_per_set();
    }

    /// Publishes the member's word and returns it: some processors hand a line that is read elsewhere over to
    /// the reader, so the member's own must not be read again.
    [[gnu::always_inline]] std::uint64_t publish(const void* input) const {
        const std::uint64_t word = loaded(input);
        if (last_ != 0) { // nobody reads that of a single member
            slots_[own_].publish(tag_, &word, 1);
        }
        // Release: pairs with epoch_of() of a runner. Not marked as inside: nobody's vectors are touched but
        // one's own.
        board_->progress.publish(2 * epoch_);
        return word;
    }
    /// Wakes those that sleep until the member publishes, and whether there are any.
    void notify() const { event_->notify_if_needed(); }
    bool must_notify() const { return event_->is_needed(); }

    /// Whether the words of all others are at that place, in the same call. They are looked at together, so
    /// that the loads overlap.
    [[gnu::always_inline]] bool are_there(const Place& place) const {
        if (last_ == 0) {
            return true; // there are no others
        }
        bool all = true;
        std::size_t slot = after(own_);
        do {
            all &= place.slots[slot].tag() == place.tag;
            slot = after(slot);
        } while (slot != own_);
        return all;
    }

    /// Combines the words, which are all there, in the order of the ranks. `own` is this member's.
    [[gnu::always_inline]] void combine(const Place& place, std::uint64_t own, const void* state,
                                        void* output) const {
        if (last_ == 0) {
            return store(own, output);
        }
        if (prepared_->word_bytes == 0) {
            return;
        }
        if (last_ == stride_) {
            const Word mine(own);
            const Word other(place.slots[stride_ - own_].word(0));
            return own_ == 0 ? reduce(*prepared_, state, output, mine, other)
                             : reduce(*prepared_, state, output, other, mine);
        }
        combine_many(place.slots, stride_, own, *prepared_, state, output);
    }

private:
    /// Bytes, which may hold elements of any type.
    struct Word {
        Word() = default;
        explicit Word(std::uint64_t word) { std::memcpy(bytes, &word, sizeof word); }

        alignas(std::uint64_t) std::byte bytes[sizeof(std::uint64_t)];
    };

    /// That of the next member, after the last one the first.
    std::size_t after(std::size_t slot) const { return slot == last_ ? 0 : slot + stride_; }

    [[gnu::always_inline]] std::uint64_t loaded(const void* input) const {
        std::uint64_t word;
        if (prepared_->word_bytes == sizeof word) [[likely]] {
            std::memcpy(&word, input, sizeof word);
        } else {
            word = 0;
            copy_pieces(&word, input, prepared_->word_bytes);
        }
        return word;
    }
    [[gnu::always_inline]] void store(std::uint64_t word, void* output) const {
        if (prepared_->word_bytes == sizeof word) [[likely]] {
            std::memcpy(output, &word, sizeof word);
        } else {
            copy_pieces(output, &word, prepared_->word_bytes);
        }
    }
    /// Less than a word, without a call, across which registers would have to be saved.
    [[gnu::always_inline]] static void copy_pieces(void* to, const void* from, unsigned bytes) {
        auto* target = static_cast<std::byte*>(to);
        const auto* source = static_cast<const std::byte*>(from);
        const auto copy = [&](std::size_t piece) {
            std::memcpy(target, source, piece);
            target += piece;
            source += piece;
        };
        if ((bytes & 4U) != 0) {
            copy(4);
        }
        if ((bytes & 2U) != 0) {
            copy(2);
        }
        if ((bytes & 1U) != 0) {
            copy(1);
        }
    }

    static void reduce(const Prepared& prepared, const void* state, void* output, const Word& left,
                       const Word& right) {
        prepared.kernels->reduce(state, output, left.bytes, right.bytes, prepared.partition.total);
    }

    /// Of no object, which would then have to lie in memory.
    [[gnu::noinline]] static void combine_many(const Slot* slots, std::size_t stride, std::uint64_t own,
                                               const Prepared& prepared, const void* state, void* output) {
        Word partial[most_partial_results]; // see detail::Merges
        const int ranks = prepared.plan->ranks;
        for (int member = 0; member < ranks; ++member) {
            Word word(member == prepared.plan->rank
                          ? own
                          : slots[static_cast<std::size_t>(member) * stride].word(0));
            const bool is_last = member == ranks - 1;
            const detail::Merges merges(member, prepared.association);
            const auto merge = [&](int place) {
                reduce(prepared, state, is_last && merges.is_last(place) ? output : word.bytes,
                       partial[place], word);
            };
            const int place = merges.of_kept(merge);
            if (is_last) {
                merges.of_rest(merge);
            } else {
                partial[place] = word;
            }
        }
    }

    const Mailbox* mailbox_ = nullptr;
    const Prepared* prepared_ = nullptr;
    typename Mailbox::Board* board_ = nullptr;
    typename Mailbox::Event* event_ = nullptr;
    /// How many slots lie between those of two members that follow each other, before this member's, and
    /// before the last one's.
    std::size_t stride_ = 0;
    std::size_t own_ = 0;
    std::size_t last_ = 0;
    /// The slot of member 0 in the first set, and in the operation's.
    Slot* first_set_ = nullptr;
    Slot* slots_ = nullptr;
    std::uint64_t epoch_ = 0;
    std::uint64_t tag_ = 0;
};

} // namespace tutti::run
