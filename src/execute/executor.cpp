#include "execute/executor.hpp"

#include "execute/claim.hpp"
#include "execute/disagreement.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

namespace tutti::execute {

using plan::Code;
using plan::Step;

namespace {

/// Most carried messages are one word; saying so lets the compiler copy it without a call.
void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes == sizeof(std::uint64_t)) {
        std::memcpy(to, from, sizeof(std::uint64_t));
    } else if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
}

// Places are computed as addresses because a vector's first block need not exist; only here do they become
// pointers.
void* pointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr)
}

} // namespace

void Executor::run() {
    // Release: pairs with settle() of a member that wants to know that this one has left its operation
    // before. A member that fails makes this visible itself before it looks (see GroupState::leave). The
    // compiler must keep the order, in which either this member sees the failure or the one that fails sees
    // this member.
    std::atomic<std::uint64_t>& progress = group_.board(plan_.rank).progress;
    progress.store(2 * epoch_ | inside_bit, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    group_.board(plan_.rank).bell.ring_if_needed(); // a member that settles waits for this
    if (group_.failure().raised()) {
        group_.failure().throw_aborted();
    }
    if (seat_.must_settle_) {
        settle();
    }
    for (const Step& next : plan_.steps) {
        step(next);
    }
    seat_.complete();
    progress.store(2 * epoch_,
                   std::memory_order_release); // release: pairs with the look of a member that fails
}

/// Waits until everybody has entered the operation before this one.
void Executor::settle() {
    for_each_peer([&](int peer) {
        MemberBoard& board = group_.board(peer);
        bool has_left = false;
        // Acquire: pairs with the release in run(); what the peer has read of this member's slots came
        // before.
        const auto entered = [&] {
            return has_left || board.progress.load(std::memory_order_acquire) >= 2 * seat_.epoch_before_;
        };
        const auto check = [&](bool takes_long) {
            check_calls(peer, takes_long);
            has_left = group_.has_left(peer);
        };
        mailbox::wait_until(entered, check, board.bell, group_.patience());
    });
}

void Executor::step(const Step& step) {
    switch (step.code) {
    case Code::enter:
        return enter(step);
    case Code::open:
        return open(step.peer, step.from);
    case Code::open_every:
        return for_each_peer([&](int peer) { open(peer, static_cast<std::size_t>(peer)); });
    case Code::await:
        return await(step.peer, step, signal_only);
    case Code::await_every:
        return for_each_peer([&](int peer) { await(peer, step, signal_only); });
    case Code::publish:
        return signal(step);
    case Code::carry:
        return carry(step);
    case Code::receive:
        taken_ = take(step.peer, step, received_);
        return;
    case Code::copy:
        return copy(step);
    case Code::copy_to_every:
        return copy_to_every(step);
    case Code::copy_received:
        return copy_received(step);
    case Code::reduce:
        return reduce(step);
    case Code::reduce_received:
        return reduce_received(step);
    case Code::reduce_every:
        return reduce_every(step, false);
    case Code::reduce_every_to_every:
        return reduce_every(step, true);
    case Code::reduce_every_received:
        return reduce_every_received(step);
    case Code::scan_every:
        return scan_every(step, false);
    case Code::exscan_every:
        return scan_every(step, true);
    case Code::match_counts:
        return for_each_peer([&](int peer) { match_counts(peer); });
    case Code::exchange:
        return exchange(step);
    }
}

void Executor::signal(const Step& step) {
    own_slot(step).signal(mailbox::make_tag(epoch_ + step.point, print_));
    group_.board(plan_.rank).bell.ring_if_needed();
}

void Executor::carry(const Step& step) {
    const void* const from = source(step.left, step);
    const std::size_t bytes = elements(step) * op_.element_bytes;
    const std::uint64_t* words = carried_;
    if (op_.staged) {
        std::memcpy(group_.stage(plan_.rank, seat_.parity_), from, bytes);
        words = &op_.marks.digest;
    } else {
        copy_bytes(carried_, from, bytes);
    }
    own_slot(step).publish(mailbox::make_tag(epoch_ + step.point, print_), words, op_.carried_words);
    group_.board(plan_.rank).bell.ring_if_needed();
}

void Executor::await_slowly(int peer, mailbox::Slot& slot, std::uint64_t epoch, int words) {
    const int cells = std::max(words, 1);
    mailbox::wait_until([&] { return slot.holds(epoch, cells); },
                        [&](bool takes_long) { check_waiting(peer, slot, epoch, cells, takes_long); },
                        group_.board(peer).bell, group_.patience());
    const std::uint64_t tag = slot.tag();
    // A peer that is operations ahead has completed this one, which is all that a signal says. Words it does
    // not write over before they are read: unless it counts its operations otherwise.
    const bool is_ahead = mailbox::reached(tag, epoch_ + plan_.points);
    if (is_ahead ? words != signal_only : mailbox::print_of(tag) != print_) {
        mismatch(peer);
    }
}

/// Throws when what is awaited will never come.
void Executor::check_waiting(int peer, const mailbox::Slot& slot, std::uint64_t epoch, int words,
                             bool takes_long) {
    check_calls(peer, takes_long);
    const std::uint64_t entered = this->slot(peer, 0).tag();
    if (mailbox::is_of(entered, epoch_) && mailbox::print_of(entered) != print_) {
        mismatch(peer);
    }
    if (group_.has_left(peer) && !slot.holds(epoch, words)) {
        if (group_.failure().raised()) { // which is why it is away
            group_.failure().throw_aborted();
        }
        const std::optional<std::string> absent = absence(group_, plan_.rank, peer);
        throw MismatchError(absent ? *absent : disagreement(group_, plan_.rank, peer));
    }
}

/// Throws when the group has failed, and where the wait takes long, when the peer has made other calls.
void Executor::check_calls(int peer, bool takes_long) {
    if (group_.failure().raised()) {
        group_.failure().throw_aborted();
    }
    if (!takes_long) {
        return;
    }
    if (const std::optional<std::string> text = difference(group_, plan_.rank, peer)) {
        throw MismatchError(*text);
    }
}

/// Awaits what the peer carries and returns where it is: on its stage, or in `bytes`.
const void* Executor::take(int peer, const Step& step, std::byte* bytes) {
    await(peer, step, op_.carried_words);
    const mailbox::Slot& theirs = slot(peer, step.slot);
    if (op_.staged) {
        if (theirs.word(0) != op_.marks.digest) {
            mismatch(peer);
        }
        return group_.stage(peer, seat_.parity_);
    }
    for (int i = 0; i < op_.carried_words; ++i) {
        const std::uint64_t word = theirs.word(i);
        std::memcpy(bytes + static_cast<std::size_t>(i) * sizeof word, &word, sizeof word);
    }
    return bytes;
}

std::uintptr_t Executor::place(const Bases& bases, plan::Vector vector, std::uint16_t block) const {
    const std::size_t lap = vector.lapped() ? op_.partition.total : 0;
    return bases.at[vector.space()] + (op_.partition.offset(block) + lap) * op_.element_bytes;
}

void* Executor::target(const Step& step) const {
    return pointer(place(step.to.remote() ? seat_.peers_[step.peer] : op_.own, step.to, step.first));
}

const void* Executor::source(plan::Vector vector, const Step& step) const {
    return pointer(place(vector.remote() ? seat_.peers_[step.peer] : op_.own, vector, step.from));
}

detail::Stores Executor::stores(const Step& step) const {
    return step.to.remote() ? detail::Stores{.stream = op_.all_stores.stream} : op_.own_stores;
}

void Executor::copy(const Step& step) {
    void* const to = target(step);
    const void* const from = source(step.left, step);
    const std::size_t bytes = elements(step) * op_.element_bytes;
    if (to != from && bytes != 0) {
        detail::copy_many(&to, 1, from, bytes, stores(step));
    }
}

void Executor::exchange(const Step& step) {
    const Bases& sender = step.left.remote() ? seat_.peers_[step.peer] : op_.own;
    const void* const from =
        pointer(sender.at[step.left.space()] + sent_offsets(sender)[step.from] * op_.element_bytes);
    void* const to = target(step);
    const std::size_t bytes = elements(step) * op_.element_bytes;
    if (bytes != 0) {
        detail::copy_many(&to, 1, from, bytes, stores(step));
    }
}

void Executor::copy_received(const Step& step) {
    copy_bytes(target(step), received(step), elements(step) * op_.element_bytes);
}

void Executor::copy_to_every(const Step& step) {
    const void* const from = source(step.left, step);
    detail::Stores stores = op_.all_stores;
    stores.cached_out = -1;
    int outs = 0;
    for (int member = 0; member < plan_.ranks; ++member) {
        void* const to = pointer(place(bases_of(member), step.to, step.first));
        if (to == from) {
            continue; // in place
        }
        if (member == op_.all_stores.cached_out) {
            stores.cached_out = outs;
        }
        seat_.outs_[static_cast<std::size_t>(outs++)] = to;
    }
    if (outs != 0) {
        detail::copy_many(seat_.outs_.data(), outs, from, elements(step) * op_.element_bytes, stores);
    }
}

void Executor::reduce(const Step& step) {
    op_.kernels->reduce(op_.state, target(step), source(step.left, step), source(step.right, step),
                        elements(step));
}

void Executor::reduce_received(const Step& step) {
    op_.kernels->reduce(op_.state, target(step), source(step.left, step), received(step), elements(step));
}

void Executor::reduce_every(const Step& step, bool to_every) {
    const int outs = to_every ? plan_.ranks : 1;
    for (int member = 0; member < plan_.ranks; ++member) {
        const auto index = static_cast<std::size_t>(member);
        const Bases& bases = bases_of(member);
        seat_.ins_[index] = pointer(place(bases, step.left, step.from));
        seat_.outs_[index] = pointer(place(bases, step.to, step.first));
    }
    void* const single = target(step);
    op_.kernels->reduce_many(op_.state, to_every ? seat_.outs_.data() : &single, outs, seat_.ins_.data(),
                             plan_.ranks, elements(step), to_every ? op_.all_stores : stores(step));
}

void Executor::scan_every(const Step& step, bool exclusive) {
    for (int member = 0; member < plan_.ranks; ++member) {
        const auto index = static_cast<std::size_t>(member);
        const Bases& bases = bases_of(member);
        seat_.ins_[index] = pointer(place(bases, step.left, step.from));
        seat_.outs_[index] = pointer(place(bases, step.to, step.first));
    }
    op_.kernels->scan_many(op_.state, seat_.outs_.data(), seat_.ins_.data(), plan_.ranks, elements(step),
                           exclusive, op_.all_stores);
}

void Executor::reduce_every_staged(const Step& step) {
    for (int member = 0; member < plan_.ranks; ++member) {
        seat_.ins_[static_cast<std::size_t>(member)] =
            member == plan_.rank
                ? source(step.left, step)
                : static_cast<const std::byte*>(take(member, step, received_)) + skipped(step);
    }
    void* const to = target(step);
    op_.kernels->reduce_many(op_.state, &to, 1, seat_.ins_.data(), plan_.ranks, elements(step), {});
}

void Executor::reduce_every_received(const Step& step) {
    if (op_.staged && plan_.ranks > 1) {
        return reduce_every_staged(step);
    }
    alignas(64) std::byte partial[mailbox::carried_bytes];
    const std::size_t count = elements(step);
    const std::size_t skip = skipped(step);
    const void* left = nullptr;
    for (int member = 0; member < plan_.ranks; ++member) {
        const void* operand = source(step.left, step);
        if (member != plan_.rank) {
            // The first operand must outlive the taking of the second.
            std::byte* const bytes = member == 0 ? first_ : received_;
            take(member, step, bytes);
            operand = bytes + skip;
        }
        if (member == 0) {
            left = operand;
            continue;
        }
        op_.kernels->reduce(op_.state, partial, left, operand, count);
        left = partial;
    }
    if (void* const to = target(step); to != left) { // alone in place it is there already
        copy_bytes(to, left, count * op_.element_bytes);
    }
}

} // namespace tutti::execute
