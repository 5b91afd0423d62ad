#include "draw/text.hpp"

#include "draw/messages.hpp"

namespace tutti::draw {

std::string text(const schedule::Schedule& schedule, std::string_view algorithm) {
    std::string lines = title(schedule, algorithm) + "\n";
    for (const Panel& panel : panels(schedule)) {
        for (const Message& message : panel.messages) {
            lines += heading(panel) + ": " + std::to_string(message.from) + " -> " +
                     std::to_string(message.to) + ": blocks " + blocks_text(message, schedule.blocks()) +
                     (message.combined ? ", combined" : "") + "\n";
        }
    }
    return lines;
}

} // namespace tutti::draw
