#pragma once

// How a runner exchanges single words. Part of run/runner.hpp.

namespace tutti::run {

/// An exchange of messages of at most one word, with what can be left until later left until the word is on
/// its way: what counts is the time from one word's arrival to the departure of the next.
template <class Mailbox, class Compute, class Observer>
State Runner<Mailbox, Compute, Observer>::exchange_words() {
    const plan::Step& step = plan_.steps.front(); // the other one awaits the same point in the same slot
    if (!entered_) {
        entered_ = true;
        word_ = 0;
        copy_bytes(&word_, bindings_.input(), prepared_.word_bytes);
        own_slot(step).publish(tag_of(step), &word_, 1);
        // Release: pairs with epoch_of(). Not marked as inside: nobody's vectors are touched but one's
        // own.
        own_board().progress.publish(2 * cursor_.epoch);
        mailbox_.notify(plan_.rank); // for who waits for either
        if (mailbox_.has_failed()) {
            stop(State::failed, plan_.rank);
            return state_;
        }
    }
    const bool is_through = prepared_.word_bytes == 0
                                ? for_each_peer([&](int peer) { return await(peer, step, signal_only); })
                            : plan_.ranks == 2 ? combine_two_words(step)
                                               : combine_words(step);
    if (!is_through) {
        return state_;
    }
    if constexpr (Observer::is_on) {
        observer_.has_done(step, prepared_.word_bytes);
    }
    cursor_.complete(prepared_, mailbox_.sets());
    return State::done;
}

/// The same of two members, who wait for nothing between the word's arrival and the result.
template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::combine_two_words(const plan::Step& step) {
    const int other = 1 - plan_.rank;
    if (!await(other, step, 1)) {
        return false;
    }
    const std::uint64_t word = slots_[index_of(other, step.slot)].word(0);
    // Bytes, which may hold elements of any type.
    alignas(std::uint64_t) std::byte operands[2][sizeof word];
    std::memcpy(operands[other], &word, sizeof word);
    std::memcpy(operands[plan_.rank], &word_, sizeof word);
    prepared_.kernels->reduce(bindings_.state, bindings_.output(), operands[0], operands[1],
                              prepared_.partition.total);
    return true;
}

/// In the order of the ranks, as combine_received() does it.
template <class Mailbox, class Compute, class Observer>
bool Runner<Mailbox, Compute, Observer>::combine_words(const plan::Step& step) {
    for (; visited_ < plan_.ranks; ++visited_) {
        std::uint64_t word = word_;
        if (visited_ != plan_.rank) {
            if (!await(visited_, step, 1)) {
                return false;
            }
            word = slots_[index_of(visited_, step.slot)].word(0);
        }
        std::memcpy(received_, &word, sizeof word);
        const bool is_last = visited_ == plan_.ranks - 1;
        const detail::Merges merges(visited_, prepared_.association);
        const auto combine = [&](int place) {
            prepared_.kernels->reduce(bindings_.state,
                                      is_last && merges.is_last(place) ? bindings_.output() : received_,
                                      partial_[place], received_, prepared_.partition.total);
        };
        const int place = merges.of_kept(combine);
        if (is_last) {
            merges.of_rest(combine);
        } else {
            std::memcpy(partial_[place], received_, sizeof word);
        }
    }
    return true;
}

} // namespace tutti::run
