#pragma once

#include "announce.hpp"
#include "mailbox/mailbox.hpp"
#include "wait/failure.hpp"
#include "wait/wait_timer.hpp"

#include <chrono>
#include <cstdint>

namespace tutti::engine {

/// Ends a call that has failed, of the member whose board is `own`: returns when none of `boards` has its
/// owner in a call any more, since the others may read and write the member's vectors until they have
/// noticed. A member that enters one shows that it is inside, and then looks whether there has been a
/// failure, in this order for the compiler. If that takes long, tell(rank) is called once, for the member
/// that is inside. \pre the failure has been recorded, and ends every wait of theirs.
template <class Boards, class Board, class Tell>
void leave_failed_call(const Boards& boards, Board& own, Tell tell) {
    // Release: pairs with the load below. Nobody else writes it.
    own.progress.publish(own.progress.get() & ~mailbox::inside_bit);
    // A member that enters from now on sees the failure, or is seen here to be inside.
    order_all_threads();
    constexpr std::int64_t between_looks_ns = 20'000;
    constexpr std::chrono::seconds before_telling{1};
    const std::chrono::nanoseconds began = clock_now();
    bool is_told = false;
    int rank = 0;
    for (const auto& other : boards) {
        // Acquire: pairs with the release of a member that leaves; its accesses come before what this one
        // does next.
        while ((other.progress.observe() & mailbox::inside_bit) != 0) {
            mailbox::nap(between_looks_ns);
            if (!is_told && clock_now() - began >= before_telling) {
                is_told = true;
                tell(rank);
            }
        }
        announce_acquire(&other.progress); // also of a 0: that of a member that has left the first operation
        ++rank;
    }
}

} // namespace tutti::engine
