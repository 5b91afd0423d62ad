#pragma once

#include "execute/group_state.hpp"

#include <atomic>

namespace tutti::execute {

/// The member of that board makes no more calls, which those learn that wait for it.
inline void leave_for_good(MemberBoard& board) {
    board.away.store(true, std::memory_order_release); // release: pairs with the look of a waiting member
    board.bell.ring_if_needed();
}

/// It comes again. Before its thread, and those that may wait for it, are started or woken, which orders
/// this.
inline void expect_again(MemberBoard& board) {
    board.away.store(false, std::memory_order_relaxed);
}

} // namespace tutti::execute
