#pragma once

// The runner's actions in each step. Part of run/runner.hpp.

namespace tutti::run {

/// The words of a slot that carries addresses.
enum Address : int { input_word, output_word, scratch_word, digest_word };

template <class Mailbox, class Compute, class Observer>
State Runner<Mailbox, Compute, Observer>::exchange_words() {
    const WordExchange<Mailbox> exchange(mailbox_, cursor_, prepared_);
    const void* const input = bindings_.input(prepared_);
    if (!entered_) {
        entered_ = true;
        if (mailbox_.has_failed()) { // first: a member that has failed publishes nothing more
            stop(State::failed, plan_.rank);
            return state_;
        }
        if (!has_published_) {
            word_ = exchange.publish(input);
        }
        exchange.notify(); // for members that wait for the word or for the progress
    }
    if (!await_words(exchange)) {
        return state_;
    }
    // Roll calls show a member that stays in its operator.
    own_board().progress.publish(2 * cursor_.epoch | mailbox::inside_bit);
    exchange.combine(exchange.words(), word_, bindings_.state, input, bindings_.output());
    own_board().progress.publish(2 * cursor_.epoch);
    cursor_.go_to_next(prepared_, mailbox_);
    return State::done;
}

template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::await_words(const WordExchange<Mailbox>& exchange) {
    if (!Observer::is_on && exchange.are_there(exchange.words())) { // an observer sees each member
        return true;
    }
    const int words = prepared_.word_bytes == 0 && prepared_.synchronises ? signal_only : 1;
    const plan::Exchange& taken = prepared_.exchange;
    return for_each_peer([&](int peer) {
        const bool is_taken = peer >= taken.first && peer < taken.first + taken.count;
        return !is_taken || await(peer, plan_.steps[taken.step], words);
    });
}

template <class Mailbox, class Compute, class Observer>
State Runner<Mailbox, Compute, Observer>::follow_plan() {
    if (!entered_ && !enter_operation()) {
        return state_;
    }
    if (!has_slots_ && !wait_for_slots()) {
        return state_;
    }
    const plan::Step* const end = plan_.steps.data() + plan_.steps.size();
    for (const plan::Step* step = plan_.steps.data() + next_; step != end; ++step) {
        if (!perform(*step)) {
            next_ = static_cast<std::size_t>(step - plan_.steps.data());
            return state_;
        }
        if constexpr (Observer::is_on) {
            observer_.has_done(*step, compute_.message_bytes(*step));
        }
    }
    // Release: pairs with the look of a member that fails.
    own_board().progress.publish(2 * cursor_.epoch);
    cursor_.go_to_next(prepared_, mailbox_);
    return State::done;
}

template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::enter_operation() {
    // Release: pairs with epoch_of() of a member that wants to know that this one has left an operation
    // before. A member that fails makes this visible itself before it looks (see library::leave_failed_call).
    // The compiler must keep the order, in which either this member sees the failure or the one that fails
    // sees this member.
    own_board().progress.publish(2 * cursor_.epoch | mailbox::inside_bit);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    entered_ = true;
    has_slots_ = !cursor_.must_wait_for_slots;
    if (!has_slots_ || !plan_.publishes_first) { // or else the first step notifies, once for both
        mailbox_.notify(plan_.rank);             // a member that waits for slots waits for this
    }
    oldest_ = cursor_.epoch;
    return mailbox_.has_failed() ? stop(State::failed, plan_.rank) : true;
}

/// Looks as often as advance() may for the awaited publication of the peer.
template <class Mailbox, class Compute, class Observer>
template <class Ready>
bool Runner<Mailbox, Compute, Observer>::look_for(int peer, Ready ready) {
    for (int look = 1; !ready(); ++look) {
        observer_.looks_for(peer);
        if (look >= looks_) {
            return false;
        }
        mailbox::pause();
    }
    observer_.sees(peer);
    return true;
}

/// Waits until nobody is left in the operation whose messages lie in the set that comes next, and notes the
/// progress of all: mostly it is greater, so that the operations after this one need not look.
template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::wait_for_slots() {
    awaited_ = nullptr;
    has_slots_ = for_each_peer([this](int peer) {
        if (!look_for(peer, [&] { return has_left_operation_of_set(peer); })) {
            return stop(State::waits, peer);
        }
        oldest_ = std::min(oldest_, epoch_of(peer));
        return true;
    });
    if (has_slots_) {
        cursor_.all_left_before = oldest_;
    }
    return has_slots_;
}

/// Calls visit(peer) for every other member, until it is false; then goes on with that one the next time.
template <class Mailbox, class Compute, class Observer>
template <class Visit>
bool Runner<Mailbox, Compute, Observer>::for_each_peer(Visit visit) {
    // From the next rank on, so that the members do not all look at the same slot at the same time.
    for (; visited_ < plan_.ranks - 1; ++visited_) {
        const int peer = plan_.rank + 1 + visited_;
        if (!visit(peer < plan_.ranks ? peer : peer - plan_.ranks)) {
            return false;
        }
    }
    visited_ = 0;
    return true;
}

template <class Mailbox, class Compute, class Observer>
[[gnu::always_inline]] inline bool Runner<Mailbox, Compute, Observer>::perform(const plan::Step& step) {
    using plan::Code;
    switch (step.code) {
    case Code::enter:
        enter(step);
        return true;
    case Code::publish:
        signal(step);
        return true;
    case Code::carry:
        carry(step);
        return true;
    case Code::open:
        return open(step.peer(), step.number());
    case Code::open_every:
        return for_each_peer([this](int peer) { return open(peer, static_cast<std::size_t>(peer)); });
    case Code::match:
        return match(step.peer(), step.from(), step.first);
    case Code::match_every:
        return for_each_peer([this](int peer) {
            return match(peer, static_cast<std::size_t>(plan_.rank), static_cast<std::size_t>(peer));
        });
    case Code::await:
        return await(step.peer(), step, signal_only);
    case Code::await_every:
        return for_each_peer([&](int peer) { return await(peer, step, signal_only); });
    case Code::receive:
        return take(step.peer(), step, received_);
    case Code::reduce_every_received:
    case Code::reduce_first_received:
    case Code::reduce_listed_received:
        return prepared_.staged && plan_.ranks > 1 ? combine_staged(step) : combine_received(step);
    default:
        compute_.perform(step, taken_);
        return true;
    }
}

template <class Mailbox, class Compute, class Observer>
void Runner<Mailbox, Compute, Observer>::enter(const plan::Step& step) {
    using schedule::Space;
    const Bases& own = bindings_.own;
    const std::uint64_t words[mailbox::words_per_slot] = {own[Space::input], own[Space::output],
                                                          own[Space::scratch0], prepared_.digests.digest};
    own_slot(step).publish(tag_of(step), words, mailbox::words_per_slot);
    mailbox_.notify(plan_.rank);
}

template <class Mailbox, class Compute, class Observer>
void Runner<Mailbox, Compute, Observer>::signal(const plan::Step& step) {
    own_slot(step).signal(tag_of(step));
    mailbox_.notify(plan_.rank);
}

template <class Mailbox, class Compute, class Observer>
void Runner<Mailbox, Compute, Observer>::carry(const plan::Step& step) {
    alignas(line_bytes) std::uint64_t eager[mailbox::words_per_slot] = {};
    const void* const from = compute_.message(step);
    const std::size_t bytes = compute_.message_bytes(step);
    const std::uint64_t* words = eager;
    if (prepared_.staged) {
        copy_bytes(mailbox_.staging(plan_.rank, cursor_.set), from, bytes);
        words = &prepared_.digests.digest;
    } else {
        copy_bytes(eager, from, bytes);
    }
    own_slot(step).publish(tag_of(step), words, prepared_.eager_words);
    mailbox_.notify(plan_.rank);
}

template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::await(int peer, const plan::Step& step, int words) {
    const Slot& theirs = slots_[index_of(peer, step.slot)];
    const std::uint64_t tag = tag_of(step);
    const auto is_there = [&] {
        return theirs.tag() == tag && (words <= 1 || theirs.holds(cursor_.epoch + step.point(), words));
    };
    return look_for(peer, is_there) || arrived_late(peer, theirs, step, words);
}

template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::arrived_late(int peer, const Slot& theirs, const plan::Step& step,
                                                      int words) {
    awaited_ = &theirs;
    epoch_ = cursor_.epoch + step.point();
    cells_ = std::max(words, 1);
    if (!theirs.holds(epoch_, cells_)) {
        return stop(State::waits, peer);
    }
    observer_.sees(peer);
    const std::uint64_t tag = theirs.tag();
    // A peer that is operations ahead has completed this one, and a signal states no more. A peer writes over
    // words only after they are read, so words of a peer that is ahead show that it counts its operations
    // differently.
    const bool is_ahead = mailbox::reached(tag, cursor_.epoch + plan_.points);
    const bool agrees = is_ahead ? words == signal_only : mailbox::fingerprint_of(tag) == fingerprint_;
    return agrees || differ(peer, Fault::calls);
}

/// Awaits the peer's message and notes its place: the staging buffer, or `bytes`.
template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::take(int peer, const plan::Step& step, std::byte* bytes) {
    const Slot& theirs = slots_[index_of(peer, step.slot)];
    if (!prepared_.synchronises && theirs.tag() == tag_of(step)) { // the sender is ahead
        const auto blocks = static_cast<std::size_t>(plan_.blocks);
        mailbox_.fetch_ahead(theirs, cursor_.set, peer,
                             prepared_.staged ? prepared_.partition.total * prepared_.element_bytes / blocks
                                              : 0);
    }
    if (!await(peer, step, prepared_.eager_words)) {
        return false;
    }
    if (prepared_.staged) {
        taken_ = mailbox_.staging(peer, cursor_.set);
        return theirs.word(0) == prepared_.digests.digest || differ(peer, Fault::calls);
    }
    for (int i = 0; i < prepared_.eager_words; ++i) {
        const std::uint64_t word = theirs.word(i);
        std::memcpy(bytes + static_cast<std::size_t>(i) * sizeof word, &word, sizeof word);
    }
    taken_ = bytes;
    return true;
}

/// Takes the addresses of the peer's vectors, which get that number.
template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::open(int peer, std::size_t number) {
    using schedule::Space;
    const plan::Step point_zero{};
    if (!await(peer, point_zero, mailbox::words_per_slot)) {
        return false;
    }
    const Slot& theirs = slots_[index_of(peer, 0)];
    if (theirs.word(digest_word) != prepared_.digests.digest) {
        return differ(peer, Fault::calls);
    }
    Bases& bases = bindings_.peers[number];
    bases[Space::input] = theirs.word(input_word);
    bases[Space::output] = theirs.word(output_word);
    set_scratch_bases(bases, theirs.word(scratch_word), prepared_.scratch_stride_bytes);
    const Fault fault = fault_of_memory(prepared_, bindings_.own, plan_.rank, bases, peer);
    return fault == Fault::none || differ(peer, fault);
}

/// The numbers are those of the block in the sender's list and in the own one.
template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::match(int peer, std::size_t sent, std::size_t expected) {
    const auto number = static_cast<std::size_t>(peer);
    if (!open(peer, number)) {
        return false;
    }
    const std::size_t length = layout_of(bindings_.peers[number]).sent[sent].count;
    return length == prepared_.layout.received[expected].count || differ(peer, Fault::counts);
}

/// The step's operand of this number: the message of the member of that rank, or the operand that the plan
/// lists.
template <class Mailbox, class Compute, class Observer>
[[gnu::always_inline]] inline plan::Step
Runner<Mailbox, Compute, Observer>::operand_of(const plan::Step& step, int number) const {
    return step.code == plan::Code::reduce_listed_received
               ? received_from(step, operands_of(plan_, step)[static_cast<std::size_t>(number)])
               : received_from(step, number);
}

/// A reduction of all or the first members is associated as the call requires; any other is part of a tree.
template <class Mailbox, class Compute, class Observer>
detail::Association Runner<Mailbox, Compute, Observer>::association_of(const plan::Step& step) const {
    return step.code == plan::Code::reduce_listed_received ? detail::Association::tree
                                                           : prepared_.association;
}

/// Combines members' messages, in the order of the operands, as they come.
template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::combine_received(const plan::Step& step) {
    for (; visited_ < step.operands(); ++visited_) {
        const plan::Step one = operand_of(step, visited_);
        const bool is_own = one.peer() == plan_.rank;
        if (!is_own && !take(one.peer(), one, received_)) {
            return false;
        }
        operand_ = is_own ? compute_.message(one) : compute_.wanted(one, taken_);
        const detail::Merges merges(visited_, association_of(step));
        const auto combine = [&](int place) {
            compute_.combine(step, received_, partial_[place], operand_);
            operand_ = received_;
        };
        const int place = merges.of_kept(combine);
        if (visited_ == step.operands() - 1) {
            merges.of_rest(combine);
        } else {
            copy_bytes(partial_[place], operand_, compute_.message_bytes(step));
        }
    }
    visited_ = 0;
    compute_.store(step, operand_);
    return true;
}

/// The same of messages in staging buffers, in one pass when all are there.
template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::combine_staged(const plan::Step& step) {
    for (; visited_ < step.operands(); ++visited_) {
        const plan::Step one = operand_of(step, visited_);
        const bool is_own = one.peer() == plan_.rank;
        if (!is_own && !take(one.peer(), one, received_)) {
            return false;
        }
        bindings_.ins[static_cast<std::size_t>(visited_)] =
            is_own ? compute_.message(one) : compute_.wanted(one, taken_);
    }
    visited_ = 0;
    compute_.combine_all(step, association_of(step));
    return true;
}

} // namespace tutti::run
