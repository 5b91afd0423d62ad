#pragma once

#include "mailbox/wait.hpp"
#include "run/compute.hpp"

namespace tutti::run {

/// An observer of a run that observes nothing. A runner calls its observer when it looks for something that a
/// member has yet to publish, when it sees that, and when it has completed a step.
struct Unobserved {
    static constexpr bool is_on = false;
    static constexpr bool sees_steps() { return false; }
    static void looks_for(int /*peer*/) {}
    static void sees(int /*peer*/) {}
    static void has_done(const plan::Step& /*step*/, std::size_t /*bytes*/) {}
};

/// How far a run has come.
enum class State : std::uint8_t {
    done,   ///< the operation is complete, and the cursor at the next one
    waits,  ///< for something that a member has not published yet
    failed, ///< the group has failed, which ends the run
    differs ///< from another member's call, which ends the run
};

/// One run of a plan by one member: its publications and waits, in the order of the steps.
///
/// advance() goes as far as it can. A blocking caller then waits until is_ready() and calls it again; a
/// nonblocking caller calls it again later. A run does not wait or allocate. It throws only what the caller's
/// operator throws, and cannot continue after that. A run that has been started holds its cursor until it is
/// done.
///
/// Mailbox, Compute and Observer are parameters, so that a model checker and a scheduler of interleavings can
/// replace the first two, and a recorder can observe.
template <class Mailbox, class Compute = run::Compute, class Observer = Unobserved>
class Runner {
public:
    using Slot = typename Mailbox::Slot;

    /// All must outlive it, and `bindings` must be bound to the buffers of this run.
    Runner(const Mailbox& mailbox, Cursor& cursor, const Prepared& prepared, Bindings& bindings,
           Observer observer = {})
        : observer_(observer), mailbox_(mailbox), cursor_(cursor), prepared_(prepared), bindings_(bindings),
          plan_(*prepared.plan), compute_(prepared, bindings),
          fingerprint_(prepared.digests.fingerprint ^ fingerprint_of_history(cursor.history)),
          slots_(mailbox.slots(0, cursor.set)), slots_per_member_(mailbox.slots_per_member()) {}

    /// In an exchange of words: marks the member's word as published already.
    void has_published(std::uint64_t word) {
        has_published_ = true;
        word_ = word;
    }

    /// Continues until it is done, or has looked `looks` >= 1 times for something that is not there.
    State advance(int looks) {
        looks_ = looks;
        const bool is_short = prepared_.exchanges_words && !observer_.sees_steps();
        return is_short && !cursor_.must_wait_for_slots ? exchange_words() : follow_plan();
    }

    /// After State::waits: the member that is waited for.
    int peer() const { return peer_; }
    /// Whether the awaited tag or progress is there.
    bool is_ready() const {
        return awaited_ != nullptr ? awaited_->holds(epoch_, cells_) : has_left_operation_of_set(peer_);
    }
    /// Whether that member is in the same operation with another call.
    bool meets_another_call() const {
        const std::uint64_t entered = slots_[index_of(peer_, 0)].tag();
        return mailbox::is_of(entered, cursor_.epoch) && mailbox::fingerprint_of(entered) != fingerprint_;
    }
    /// Whether the run waits only until the peer has left an earlier operation.
    bool waits_for_slots() const { return awaited_ == nullptr; }
    /// Skips this peer. Only if waits_for_slots() and the peer has left for good.
    void stop_waiting() {
        observer_.sees(peer_);
        ++visited_;
    }

    /// After State::differs: the kind of difference from peer().
    Fault fault() const { return fault_; }

private:
    /// The number of words to await if only the tag matters.
    static constexpr int signal_only = 0;

    std::size_t index_of(int member, int slot) const {
        return static_cast<std::size_t>(member) * slots_per_member_ + static_cast<std::size_t>(slot);
    }
    Slot& own_slot(const plan::Step& step) { return slots_[index_of(plan_.rank, step.slot)]; }
    typename Mailbox::Board& own_board() { return mailbox_.board(plan_.rank); }
    std::uint64_t tag_of(const plan::Step& step) const {
        return mailbox::make_tag(cursor_.epoch + step.point(), fingerprint_);
    }

    State exchange_words();
    bool await_words(const WordExchange<Mailbox>& exchange);
    State follow_plan();
    bool enter_operation();
    bool wait_for_slots();
    /// The epoch of the operation that the member has entered last.
    std::uint64_t epoch_of(int member) const {
        // Acquire: pairs with the release of a member that enters; what it has read of this member's slots
        // came before.
        return mailbox_.board(member).progress.observe() / 2;
    }
    /// Whether the member has left the operation whose messages are in the next set of slots.
    bool has_left_operation_of_set(int member) const {
        return epoch_of(member) > cursor_.message_epochs[cursor_.set];
    }

    // Each returns true if it is done, and false if the run must stop; state_ has the reason.
    bool perform(const plan::Step& step);
    bool await(int peer, const plan::Step& step, int words);
    bool arrived_late(int peer, const Slot& theirs, const plan::Step& step, int words);
    bool take(int peer, const plan::Step& step, std::byte* bytes);
    bool open(int peer, std::size_t number);
    bool match(int peer, std::size_t sent, std::size_t expected);
    plan::Step operand_of(const plan::Step& step, int number) const;
    detail::Association association_of(const plan::Step& step) const;
    bool combine_received(const plan::Step& step);
    bool combine_staged(const plan::Step& step);
    template <class Ready>
    bool look_for(int peer, Ready ready);
    template <class Visit>
    bool for_each_peer(Visit visit);

    void enter(const plan::Step& step);
    void signal(const plan::Step& step);
    void carry(const plan::Step& step);

    bool stop(State state, int peer) {
        state_ = state;
        peer_ = peer;
        return false;
    }
    bool differ(int peer, Fault fault) {
        fault_ = fault;
        return stop(State::differs, peer);
    }

    [[no_unique_address]] Observer observer_;
    const Mailbox& mailbox_;
    Cursor& cursor_;
    const Prepared& prepared_;
    Bindings& bindings_;
    const plan::Plan& plan_;
    Compute compute_;
    /// The fingerprint in the tags: of this call and of the history.
    std::uint64_t fingerprint_;
    /// The slots of member 0 in this operation's set; those of the others follow at equal distances.
    Slot* slots_;
    std::size_t slots_per_member_;

    // The position in the plan: the next step, and the number of members that it has visited if it visits
    // them one by one.
    std::size_t next_ = 0;
    int visited_ = 0;
    bool has_published_ = false;
    bool entered_ = false;
    bool has_slots_ = false;
    /// The epoch of the least advanced member that it has looked at while it waited for slots.
    std::uint64_t oldest_;

    // After a stop: the reason, the peer, and the awaited slot.
    State state_;
    Fault fault_;
    int peer_ = -1;
    const Slot* awaited_ = nullptr;
    std::uint64_t epoch_;
    int cells_;

    int looks_;
    /// In an exchange of words: the member's own word.
    std::uint64_t word_;
    /// The message received last: in `received_` or in a staging buffer.
    const void* taken_ = nullptr;
    /// The operand that is combined next, or the result so far.
    const void* operand_;
    /// Received elements of any type, aligned for all that fit.
    alignas(line_bytes) std::byte received_[mailbox::eager_bytes];
    /// Partial results, see detail::Merges.
    alignas(line_bytes) std::byte partial_[most_partial_results][mailbox::eager_bytes];
};

} // namespace tutti::run

#include "run/runner_steps.hpp"
