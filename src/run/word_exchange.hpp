#pragma once

#include "mailbox/mailbox.hpp"
#include "run/copy_bytes.hpp"
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
/// they are there. What counts is the time from one word's arrival to the departure of the next: inlined, all
/// of this stays in registers.
template <class Mailbox>
class WordExchange {
public:
    /// Of an operation for whose slots the member need not wait.
    [[gnu::always_inline]] WordExchange(const Mailbox& mailbox, const Cursor& cursor,
                                        const Prepared& prepared)
        : mailbox_(mailbox), prepared_(prepared), rank_(prepared.plan->rank), ranks_(prepared.plan->ranks),
          slots_per_member_(mailbox.slots_per_member()), epoch_(cursor.epoch) {
        const plan::Step& step = prepared.plan->steps.front(); // the others take the same point's slot
        slots_ = mailbox.slots(0, cursor.set) + step.slot;
        tag_ = mailbox::make_tag(epoch_ + step.point(),
                                 prepared.digests.fingerprint ^ fingerprint_of_history(cursor.history));
    }

    /// Publishes the member's word and returns it: some processors hand a line that is read elsewhere over to
    /// the reader, so the member's own must not be read again.
    [[gnu::always_inline]] std::uint64_t publish(const void* input) const {
        std::uint64_t word = 0;
        copy_bytes(&word, input, prepared_.word_bytes);
        slot(rank_).publish(tag_, &word, 1);
        // Release: pairs with epoch_of() of a runner. Not marked as inside: nobody's vectors are touched but
        // one's own.
        mailbox_.board(rank_).progress.publish(2 * epoch_);
        mailbox_.notify(rank_); // for who waits for either
        return word;
    }

    /// Whether the words of all others are there, in the same call. They are looked at together, so that the
    /// loads overlap.
    [[gnu::always_inline]] bool are_there() const {
        bool all = true;
        for (int distance = 1; distance < ranks_; ++distance) {
            const int member = rank_ + distance;
            all &= slot(member < ranks_ ? member : member - ranks_).tag() == tag_;
        }
        return all;
    }

    /// Combines the words, which are all there, in the order of the ranks. `own` is this member's.
    [[gnu::always_inline]] void combine(std::uint64_t own, const void* state, void* output) const {
        if (prepared_.word_bytes == 0) {
            return;
        }
        if (ranks_ == 1) {
            return copy_bytes(output, &own, prepared_.word_bytes);
        }
        if (ranks_ == 2) {
            const Word mine(own);
            const Word other(slot(1 - rank_).word(0));
            return rank_ == 0 ? reduce(prepared_, state, output, mine, other)
                              : reduce(prepared_, state, output, other, mine);
        }
        combine_many(slots_, slots_per_member_, own, prepared_, state, output);
    }

private:
    using Slot = typename Mailbox::Slot;

    /// Bytes, which may hold elements of any type.
    struct Word {
        Word() = default;
        explicit Word(std::uint64_t word) { std::memcpy(bytes, &word, sizeof word); }

        alignas(std::uint64_t) std::byte bytes[sizeof(std::uint64_t)];
    };

    Slot& slot(int member) const { return slots_[static_cast<std::size_t>(member) * slots_per_member_]; }

    static void reduce(const Prepared& prepared, const void* state, void* output, const Word& left,
                       const Word& right) {
        prepared.kernels->reduce(state, output, left.bytes, right.bytes, prepared.partition.total);
    }

    /// Of no object, which would then have to lie in memory.
    [[gnu::noinline]] static void combine_many(const Slot* slots, std::size_t slots_per_member,
                                               std::uint64_t own, const Prepared& prepared, const void* state,
                                               void* output) {
        Word partial[most_partial_results]; // see detail::Merges
        const int ranks = prepared.plan->ranks;
        for (int member = 0; member < ranks; ++member) {
            Word word(member == prepared.plan->rank
                          ? own
                          : slots[static_cast<std::size_t>(member) * slots_per_member].word(0));
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

    const Mailbox& mailbox_;
    const Prepared& prepared_;
    int rank_;
    int ranks_;
    std::size_t slots_per_member_;
    /// The one of member 0 in the operation's set; those of the others follow at equal distances.
    Slot* slots_;
    std::uint64_t epoch_;
    std::uint64_t tag_;
};

} // namespace tutti::run
