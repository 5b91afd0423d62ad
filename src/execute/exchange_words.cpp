#include "execute/executor.hpp"

#include <atomic>
#include <cstring>

namespace tutti::execute {

using plan::Step;
using schedule::Space;

namespace {

/// Elements have 1, 2, 4 or 8 bytes, and there may be several: all sizes that a word has room for.
void copy_word(void* to, const void* from, std::size_t bytes) {
    if (bytes == sizeof(std::uint64_t)) {
        std::memcpy(to, from, sizeof(std::uint64_t));
    } else if (bytes == sizeof(std::uint32_t)) {
        std::memcpy(to, from, sizeof(std::uint32_t));
    } else if (bytes != 0) {
        std::memcpy(to, from, bytes);
    }
}

} // namespace

void Executor::exchange_words() {
    const Step* const steps = plan_.steps.data();
    const std::uint64_t tag = mailbox::make_tag(epoch_ + steps[0].point, print_);
    std::uint64_t own = 0;
    copy_word(&own,
              reinterpret_cast<const void*>( // NOLINT(performance-no-int-to-ptr)
                  op_.own[Space::input]),
              op_.word_bytes);
    own_slot(steps[0]).publish(tag, &own, 1);

    MemberBoard& board = group_.board(plan_.rank);
    // Release: pairs with settle(). Not marked as inside: nobody's vectors are touched but one's own.
    board.progress.store(2 * epoch_, std::memory_order_release);
    board.bell.ring_if_needed(); // for who waits for either
    if (group_.failure().raised()) {
        group_.failure().throw_aborted();
    }
    if (op_.word_bytes == 0) {
        for_each_peer([&](int peer) { await_word(peer, slot(peer, steps[1].slot), steps[1], tag); });
    } else {
        reduce_words(steps[1], own, tag);
    }
    seat_.complete();
}

/// In the order of the ranks, as reduce_every_received does it.
void Executor::reduce_words(const Step& step, std::uint64_t own, std::uint64_t tag) {
    void* const result = reinterpret_cast<void*>( // NOLINT(performance-no-int-to-ptr)
        op_.own[Space::output]);
    const std::size_t count = op_.partition.total;
    const int ranks = plan_.ranks;
    const int rank = plan_.rank;
    // Bytes, which may hold elements of any type.
    alignas(std::uint64_t) std::byte partial[sizeof own];
    alignas(std::uint64_t) std::byte operand[sizeof own];
    for (int member = 0; member < ranks; ++member) {
        std::uint64_t word = own;
        if (member != rank) {
            const mailbox::Slot& theirs = slot(member, step.slot);
            await_word(member, theirs, step, tag);
            word = theirs.word(0);
        }
        if (member == 0) {
            std::memcpy(partial, &word, sizeof word);
            continue;
        }
        std::memcpy(operand, &word, sizeof word);
        op_.kernels->reduce(op_.state, member < ranks - 1 ? partial : result, partial, operand, count);
    }
}

void Executor::await_word(int peer, const mailbox::Slot& theirs, const Step& step, std::uint64_t tag) {
    // Mostly everybody is at it: what another member takes to get here is a few looks.
    constexpr int eager_looks = 256;
    for (int look = group_.patience().spin_ns > 0 ? 0 : eager_looks - 1; look < eager_looks; ++look) {
        if (theirs.tag() == tag) {
            return;
        }
    }
    await(peer, step, op_.word_bytes == 0 ? signal_only : 1);
}

} // namespace tutti::execute
