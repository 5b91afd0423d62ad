#pragma once

#include "execute/group_state.hpp"

#include <atomic>

namespace tutti::execute {

/// The member makes no more calls, which those learn that wait for it.
inline void leave_for_good(detail::GroupState& group, int rank) {
    // Release: pairs with the look of a waiting member.
    group.presence(rank).away.store(true, std::memory_order_release);
    group.board(rank).bell.ring_if_needed();
}

/// All members come again. Before the threads are started or woken that make their calls, which orders this.
inline void expect_all(detail::GroupState& group) {
    for (int rank = 0; rank < group.size(); ++rank) {
        group.presence(rank).away.store(false, std::memory_order_relaxed);
    }
}

} // namespace tutti::execute
