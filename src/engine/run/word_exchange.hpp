#pragma once

#include "run/cursor.hpp"

#include <tutti/detail/association.hpp>

#include <cstring>
#include <limits>

namespace tutti::run {

/// Most eager messages are one element; saying so lets the compiler copy it without a call.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes == sizeof(std::uint64_t)) {
        std::memcpy(to, from, sizeof(std::uint64_t));
    } else if (bytes == sizeof(std::uint32_t)) {
        std::memcpy(to, from, sizeof(std::uint32_t));
    } else if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
}

/// Enough for the largest group.
inline constexpr int most_partial_results =
    detail::partial_results(std::numeric_limits<std::uint16_t>::max(), detail::Association::tree);

/// One exchange of messages of at most one word: a member publishes its own, and combines those of all, or of
/// some (see plan::Exchange), when they are there. Only the time from one word's arrival to the departure of
/// the next counts. Everything else that the next exchange needs is therefore computed before that arrival:
/// see prepare_next().
template <class Mailbox>
class WordExchange {
public:
    using Slot = typename Mailbox::Slot;

    /// The slots and the tag of an operation.
    struct Words {
        /// The slot of member 0.
        const Slot* slots;
        std::uint64_t tag;
    };

    /// An exchange of no operation.
    WordExchange() = default;
    /// An exchange of an operation for whose slots the member need not wait.
    WordExchange(const Mailbox& mailbox, const Cursor& cursor, const Prepared& prepared)
        : mailbox_(&mailbox), prepared_(&prepared), board_(&mailbox.board(prepared.plan->rank)),
          event_(&mailbox.event(prepared.plan->rank)), stride_(mailbox.slots_per_member()),
          own_offset_(static_cast<std::size_t>(prepared.plan->rank) * stride_),
          first_offset_(prepared.exchange.first * stride_),
          end_offset_(first_offset_ + prepared.exchange.count * stride_), epoch_(cursor.epoch) {
        const plan::Step& step = prepared.plan->steps[prepared.exchange.step];
        first_set_ = mailbox.slots(0, 0) + step.slot;
        slots_ = mailbox.slots(0, cursor.set) + step.slot;
        tag_ = mailbox::make_tag(epoch_ + step.point(),
                                 prepared.digests.fingerprint ^ fingerprint_of_history(cursor.history));
    }

    bool operator==(const WordExchange&) const = default;
    /// Whether it is that of the operation at the cursor.
    bool is_at(const Cursor& cursor) const { return epoch_ == cursor.epoch; }
    Words words() const { return {slots_, tag_}; }
    /// Whether two members exchange full words. The functions below with a parameter `two_words` are faster
    /// if it is that.
    static bool has_two_words(const Prepared& prepared) {
        return prepared.plan->ranks == 2 && prepared.synchronises && !prepared.exchange.gathers &&
               prepared.word_bytes == sizeof(std::uint64_t);
    }

    /// Works out the exchange after the one at `cursor`, before the cursor moves. The next operation must
    /// repeat this one, which synchronises: the history stays and the next set is free.
    [[gnu::always_inline]] void prepare_next(const Cursor& cursor) {
        const std::uint64_t points = prepared_->plan->points;
        epoch_ += points;
        tag_ += mailbox::make_tag(points, 0);
        slots_ = cursor.next_set(mailbox_->synchronised_sets()) == 0 ? first_set_
                                                                     : slots_ + mailbox_->slots_per_set();
    }

    /// Publishes the member's word, if it sends one, and returns it, because reading the slot again could
    /// fetch the cache line back from its reader.
    template <bool two_words = false>
    [[gnu::always_inline]] std::uint64_t publish(const void* input) const {
        const std::uint64_t word = two_words ? loaded<true>(input)
                                   : combines_own() || prepared_->exchange.sends
                                       ? loaded<false>(own_word(input))
                                       : 0;
        if (two_words || prepared_->exchange.sends) {
            slots_[own_offset_].publish(tag_, &word, 1);
        }
        // Release: pairs with epoch_of() of a runner. inside_bit is not set: the operation touches only the
        // member's own buffers.
        board_->progress.publish(2 * epoch_);
        return word;
    }
    /// Wakes threads that wait for this member.
    void notify() const { event_->notify_if_needed(); }
    /// Whether there are any.
    bool must_notify() const { return event_->is_needed(); }

    /// Whether the words of the others are there, in the same call. The loads are independent, so that they
    /// overlap.
    template <bool two_words = false>
    [[gnu::always_inline]] bool are_there(const Words& words) const {
        if constexpr (two_words) {
            return words.slots[stride_ - own_offset_].tag() == words.tag;
        }
        bool all = true;
        for (std::size_t slot = first_offset_; slot != end_offset_; slot += stride_) {
            all &= slot == own_offset_ || words.slots[slot].tag() == words.tag;
        }
        return all;
    }

    /// The same if members do not wait for all others: a member that finds all words is behind their senders.
    [[gnu::always_inline]] bool were_there(const Words& words, unsigned set) const {
        if (!are_there(words)) {
            return false;
        }
        for (std::size_t slot = first_offset_; slot != end_offset_; slot += stride_) {
            if (slot != own_offset_) {
                mailbox_->fetch_ahead(words.slots[slot], set, 0, 0);
            }
        }
        return true;
    }

    /// Combines or stores the words, which are all there, in the order of the ranks. `own` is this member's.
    template <bool two_words = false>
    [[gnu::always_inline]] void combine(const Words& words, std::uint64_t own, const void* state,
                                        const void* input, void* output) const {
        if (!two_words && (prepared_->word_bytes == 0 || prepared_->exchange.count == 0)) {
            return;
        }
        if (!two_words && (prepared_->exchange.gathers || prepared_->exchange.count == 1)) {
            if (prepared_->exchange.count == 1 && combines_own() && output == own_word(input)) {
                return; // the root of a broadcast has it there
            }
            return store(words.slots, stride_, own, *prepared_, own_word(input),
                         static_cast<std::byte*>(output));
        }
        if (two_words || (end_offset_ == 2 * stride_ && first_offset_ == 0 && combines_own())) {
            const Word mine(own);
            const Word other(
                words.slots[stride_ - own_offset_].word(0)); // the slot of the other of two members
            return own_offset_ == 0 ? reduce(*prepared_, state, output, mine, other)
                                    : reduce(*prepared_, state, output, other, mine);
        }
        combine_many(words.slots, stride_, own, *prepared_, state, output);
    }

private:
    /// Bytes, which may hold elements of any type.
    struct Word {
        Word() = default;
        explicit Word(std::uint64_t word) { std::memcpy(bytes, &word, sizeof word); }

        alignas(std::uint64_t) std::byte bytes[sizeof(std::uint64_t)];
    };

    bool combines_own() const { return own_offset_ - first_offset_ < end_offset_ - first_offset_; }

    const void* own_word(const void* input) const {
        return static_cast<const std::byte*>(input) + prepared_->word_offset;
    }

    template <bool two_words>
    [[gnu::always_inline]] std::uint64_t loaded(const void* input) const {
        std::uint64_t word;
        if (two_words || prepared_->word_bytes == sizeof word) [[likely]] {
            std::memcpy(&word, input, sizeof word);
        } else {
            word = 0;
            copy_pieces(&word, input, prepared_->word_bytes);
        }
        return word;
    }
    /// A word at most, without a call, across which registers would have to be saved.
    [[gnu::always_inline]] static void copy_pieces(void* to, const void* from, unsigned bytes) {
        auto* target = static_cast<std::byte*>(to);
        const auto* source = static_cast<const std::byte*>(from);
        const auto copy = [&](std::size_t piece) __attribute__((always_inline)) {
            std::memcpy(target, source, piece);
            target += piece;
            source += piece;
        };
        if ((bytes & 8U) != 0) {
            copy(8);
        }
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

    /// Leaves the own word alone where it is in its place, because others may read it.
    [[gnu::noinline]] static void store(const Slot* slots, std::size_t stride, std::uint64_t own,
                                        const Prepared& prepared, const void* input, std::byte* output) {
        const int first = prepared.exchange.first;
        for (int member = first; member < first + prepared.exchange.count;
             ++member, output += prepared.word_bytes) {
            const bool is_own = member == prepared.plan->rank;
            if (!is_own || output != input) {
                const Word word(is_own ? own : slots[static_cast<std::size_t>(member) * stride].word(0));
                copy_pieces(output, word.bytes, prepared.word_bytes);
            }
        }
    }

    /// Static: a member function would force the object into memory.
    [[gnu::noinline]] static void combine_many(const Slot* slots, std::size_t stride, std::uint64_t own,
                                               const Prepared& prepared, const void* state, void* output) {
        Word partial[most_partial_results];        // see detail::Merges
        const int count = prepared.exchange.count; // the first members
        for (int member = 0; member < count; ++member) {
            Word word(member == prepared.plan->rank
                          ? own
                          : slots[static_cast<std::size_t>(member) * stride].word(0));
            const bool is_last = member == count - 1;
            const detail::Merges merges(member, prepared.association);
            const auto merge = [&](int level) {
                reduce(prepared, state, is_last && merges.is_last(level) ? output : word.bytes,
                       partial[level], word);
            };
            const int level = merges.of_kept(merge);
            if (is_last) {
                merges.of_rest(merge);
            } else {
                partial[level] = word;
            }
        }
    }

    const Mailbox* mailbox_ = nullptr;
    const Prepared* prepared_ = nullptr;
    typename Mailbox::Board* board_ = nullptr;
    typename Mailbox::Event* event_ = nullptr;
    /// The number of slots between those of consecutive members.
    std::size_t stride_ = 0;
    /// The number of slots before this member's.
    std::size_t own_offset_ = 0;
    /// The number of slots before those of the first member whose word it combines, and behind the last
    /// one's.
    std::size_t first_offset_ = 0;
    std::size_t end_offset_ = 0;
    /// The slot of member 0 in the first set.
    Slot* first_set_ = nullptr;
    /// The slot of member 0 in the set of the operation.
    Slot* slots_ = nullptr;
    std::uint64_t epoch_ = 0;
    std::uint64_t tag_ = 0;
};

} // namespace tutti::run
