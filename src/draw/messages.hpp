#pragma once

#include "schedule/schedule.hpp"

#include <string>
#include <vector>

namespace tutti::draw {

/// What goes from one member to another in a round.
struct Message {
    int from = 0;
    int to = 0;
    /// Ranges of blocks, numbered as in the vector that somebody else reads or writes.
    std::vector<schedule::Blocks> blocks;
    /// Whether the receiver combines it with something rather than storing it as it is.
    bool combined = false;
};

/// The messages of every round, by receiver and within one by sender. Who carries a move out does not show:
/// what a member pulls and what another stores into it are both messages to it. O(moves * ranks).
std::vector<std::vector<Message>> messages(const schedule::Schedule& schedule);

/// "3", "3..5", "7, 20..1": the blocks of a message; "all" where it is the whole vector.
std::string blocks_text(const Message& message, int blocks);

/// "broadcast, 8 ranks, root 3": what is drawn.
std::string title(const schedule::Schedule& schedule);

} // namespace tutti::draw
