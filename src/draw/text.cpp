#include "draw/text.hpp"

#include "draw/messages.hpp"

namespace tutti::draw {

std::string text(const schedule::Schedule& schedule) {
    std::string lines = title(schedule) + "\n";
    const auto rounds = messages(schedule);
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        for (const Message& message : rounds[round]) {
            lines += "round " + std::to_string(round) + ": " + std::to_string(message.from) + " -> " +
                     std::to_string(message.to) + ": blocks " + blocks_text(message, schedule.blocks()) +
                     (message.combined ? ", combined" : "") + "\n";
        }
    }
    return lines;
}

} // namespace tutti::draw
