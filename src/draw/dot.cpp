#include "draw/dot.hpp"

#include "draw/messages.hpp"

namespace tutti::draw {

namespace {

/// The node of a member in a round.
std::string node(std::size_t round, int rank) {
    return "r" + std::to_string(round) + "_" + std::to_string(rank);
}

std::string cluster(std::size_t round, const std::vector<Message>& list, const schedule::Schedule& schedule) {
    std::string text = "  subgraph cluster_" + std::to_string(round) + " {\n    label=\"round " +
                       std::to_string(round) + "\";\n";
    for (int rank = 0; rank < schedule.ranks(); ++rank) {
        text += "    " + node(round, rank) + " [label=\"" + std::to_string(rank) + "\"];\n";
    }
    for (const Message& message : list) {
        text += "    " + node(round, message.from) + " -> " + node(round, message.to) + " [label=\"" +
                blocks_text(message, schedule.blocks()) + "\"" + (message.combined ? "" : ", style=dashed") +
                "];\n";
    }
    return text + "  }\n";
}

} // namespace

std::string dot(const schedule::Schedule& schedule) {
    std::string text = "digraph schedule {\n  label=\"" + title(schedule) +
                       "\";\n  node [shape=circle, fontsize=10];\n  edge [fontsize=8];\n";
    const auto rounds = messages(schedule);
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        text += cluster(round, rounds[round], schedule);
    }
    return text + "}\n";
}

} // namespace tutti::draw
