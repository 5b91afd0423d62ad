#pragma once

#include "schedule/schedule.hpp"

#include <cstdint>
#include <string>
#include <string_view>

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

} // namespace tutti::draw
