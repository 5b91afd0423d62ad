#pragma once

#include "schedule/schedule.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::draw {

/// One line for each message: "round 0: 3 -> 1: blocks 4..5, combined".
std::string text(const schedule::Schedule& schedule, std::string_view algorithm);

/// The places of members in a drawing.
///
/// - rows: one below the other, a column for each panel of a round
/// - circle: around a circle, one for each
/// - graph: around one circle for all rounds; the messages that member 0 receives carry the round's number
enum class Layout : std::uint8_t { rows, circle, graph };

/// The rounds as a self-contained SVG file. Arrows go from sender to receiver: red where it combines, blue
/// where it stores, labelled at the receiver with the blocks. Readable up to some 32 ranks.
std::string svg(const schedule::Schedule& schedule, std::string_view algorithm, Layout layout);

/// The blocks from one member to another in a round.
struct Message {
    int from = 0;
    int to = 0;
    /// Ranges of blocks, numbered as in the vector that somebody else reads or writes.
    std::vector<schedule::Blocks> blocks;
    /// Whether the receiver combines it with something rather than storing it as it is.
    bool combined = false;
};

/// The part of a drawing for one round: the messages, by receiver and within one by sender.
struct Panel {
    int round = 0;
    /// Whether these are what members store to others after they have read from others in the same round.
    bool results = false;
    std::vector<Message> messages;
};

/// The rounds in which something goes from a member to another, numbered from 0. One in which members read
/// from others and then store to others is two panels; where all do only one of the two, it does not show who
/// carries a move out. O(moves * ranks).
std::vector<Panel> panels(const schedule::Schedule& schedule);

/// "round 0", "round 0, results".
std::string heading(const Panel& panel);

/// "3", "3..5", "7, 20..1": the blocks of a message; "all" where it is the whole vector.
std::string blocks_text(const Message& message, int blocks);

/// "broadcast tree, 8 ranks, root 3": what is drawn, with the algorithm's name.
std::string title(const schedule::Schedule& schedule, std::string_view algorithm);

} // namespace tutti::draw
