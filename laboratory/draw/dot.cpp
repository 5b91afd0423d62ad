#include "draw/dot.hpp"

#include "draw/messages.hpp"

namespace tutti::draw {

namespace {

/// The node of a member in a panel.
std::string node(std::size_t number, int rank) {
    return "r" + std::to_string(number) + "_" + std::to_string(rank);
}

std::string cluster(std::size_t number, const Panel& panel, const schedule::Schedule& schedule) {
    std::string text =
        "  subgraph cluster_" + std::to_string(number) + " {\n    label=\"" + heading(panel) + "\";\n";
    for (int rank = 0; rank < schedule.ranks(); ++rank) {
        text += "    " + node(number, rank) + " [label=\"" + std::to_string(rank) + "\"];\n";
    }
    for (const Message& message : panel.messages) {
        text += "    " + node(number, message.from) + " -> " + node(number, message.to) + " [label=\"" +
                blocks_text(message, schedule.blocks()) + "\"" + (message.combined ? "" : ", style=dashed") +
                "];\n";
    }
    return text + "  }\n";
}

} // namespace

std::string dot(const schedule::Schedule& schedule, std::string_view algorithm) {
    std::string text = "digraph schedule {\n  label=\"" + title(schedule, algorithm) +
                       "\";\n  node [shape=circle, fontsize=10];\n  edge [fontsize=8];\n";
    const std::vector<Panel> drawn = panels(schedule);
    for (std::size_t number = 0; number < drawn.size(); ++number) {
        text += cluster(number, drawn[number], schedule);
    }
    return text + "}\n";
}

} // namespace tutti::draw
