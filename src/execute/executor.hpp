#pragma once

#include "execute/group_state.hpp"
#include "execute/operation.hpp"
#include "execute/seat.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tutti::execute {

/// Runs one plan on the calling thread: a loop over its steps, with everything that depends on the call
/// (types, operator, sizes, addresses) decided before it starts.
class Executor {
public:
    /// For the operation that the seat has prepared.
    explicit Executor(detail::Seat& seat)
        : seat_(seat), group_(seat.group_), op_(seat.operation_), plan_(*seat.operation_.plan),
          epoch_(seat.epoch_), print_(seat.operation_.marks.print ^ print_of_history(seat.history_)),
          slots_(group_.slots(0, seat.parity_)), slots_per_member_(2 * group_.slots_per_operation()) {}

    /// Throws MismatchError, Aborted, or what the operator throws.
    void run();

    /// The same for an operation that `exchanges_words` and need not settle, with what can be left until
    /// later left until the word is on its way: what counts is the time from one word's arrival to the
    /// departure of the next.
    void exchange_words();

private:
    /// The words that are awaited where the tag says it all.
    static constexpr int signal_only = 0;

    mailbox::Slot& slot(int member, int index) {
        return slots_[static_cast<std::size_t>(member) * slots_per_member_ + static_cast<std::size_t>(index)];
    }
    mailbox::Slot& own_slot(const plan::Step& step) { return slot(plan_.rank, step.slot); }

    void settle();
    void step(const plan::Step& step);
    void enter(const plan::Step& step);
    void signal(const plan::Step& step);
    void carry(const plan::Step& step);
    void open(int peer, std::size_t number);
    void match_counts(int peer);
    void await(int peer, const plan::Step& step, int words);
    void await_word(int peer, const mailbox::Slot& theirs, const plan::Step& step, std::uint64_t tag);
    void reduce_words(const plan::Step& step, std::uint64_t own, std::uint64_t tag);
    void await_slowly(int peer, mailbox::Slot& slot, std::uint64_t epoch, int words);
    void check_waiting(int peer, const mailbox::Slot& slot, std::uint64_t epoch, int words, bool takes_long);
    void check_calls(int peer, bool takes_long);
    const void* take(int peer, const plan::Step& step, std::byte* bytes);
    [[noreturn]] void mismatch(int peer);
    struct Touched {
        Range read;
        Range written;
    };
    Touched touched(int member, const Bases& bases) const;
    void check_apart(int peer, const Bases& theirs);
    [[noreturn]] void mismatch_of_vectors(int peer, const std::string& what);

    void copy(const plan::Step& step);
    void exchange(const plan::Step& step);
    void copy_to_every(const plan::Step& step);
    void copy_received(const plan::Step& step);
    void reduce(const plan::Step& step);
    void reduce_received(const plan::Step& step);
    void reduce_every(const plan::Step& step, bool to_every);
    void scan_every(const plan::Step& step, bool exclusive);
    void reduce_every_received(const plan::Step& step);
    void reduce_every_staged(const plan::Step& step);

    template <class Visit>
    void for_each_peer(Visit visit);

    /// Where the plan touches the vectors of all members, whose numbers are their ranks then.
    const Bases& bases_of(int member) const {
        return member == plan_.rank ? op_.own : seat_.peers_[static_cast<std::size_t>(member)];
    }

    std::uintptr_t place(const Bases& bases, plan::Vector vector, std::uint16_t block) const;
    void* target(const plan::Step& step) const;
    const void* source(plan::Vector vector, const plan::Step& step) const;
    detail::Stores stores(const plan::Step& step) const;
    /// Bytes to skip in a received payload.
    std::size_t skipped(const plan::Step& step) const {
        return step.whole != 0 ? op_.partition.offset(step.from) * op_.element_bytes : 0;
    }
    const void* received(const plan::Step& step) const {
        return static_cast<const std::byte*>(taken_) + skipped(step);
    }
    std::size_t elements(const plan::Step& step) const {
        return op_.partition.elements(step.first, step.count);
    }

    detail::Seat& seat_;
    detail::GroupState& group_;
    const Operation& op_;
    const plan::Plan& plan_;
    std::uint64_t epoch_;
    /// What every tag says of this operation and of those before that nobody has compared.
    std::uint64_t print_;
    /// The slots of member 0 for this operation's parity; those of the others follow at equal distances.
    mailbox::Slot* slots_;
    std::size_t slots_per_member_;
    /// What was received last: `received_` or a stage.
    const void* taken_ = nullptr;
    /// The words of a message on their way into a slot.
    alignas(64) std::uint64_t carried_[mailbox::words_per_slot];
    /// Elements that were received: bytes, which may hold any type, aligned for all that fit.
    alignas(64) std::byte received_[mailbox::carried_bytes];
    alignas(64) std::byte first_[mailbox::carried_bytes];
};

template <class Visit>
void Executor::for_each_peer(Visit visit) {
    // From the next rank on, so that the members do not all look at the same slot at the same time.
    for (int peer = plan_.rank + 1; peer < plan_.ranks; ++peer) {
        visit(peer);
    }
    for (int peer = 0; peer < plan_.rank; ++peer) {
        visit(peer);
    }
}

inline void Executor::await(int peer, const plan::Step& step, int words) {
    mailbox::Slot& theirs = slot(peer, step.slot);
    const std::uint64_t epoch = epoch_ + step.point;
    if (theirs.tag() == mailbox::make_tag(epoch, print_) && (words <= 1 || theirs.holds(epoch, words))) {
        return;
    }
    await_slowly(peer, theirs, epoch, words);
}

} // namespace tutti::execute
