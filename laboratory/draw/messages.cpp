#include "draw/drawings.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tutti::draw {

using schedule::Blocks;
using schedule::Move;
using schedule::Schedule;
using schedule::wrap;

namespace {

/// Messages by receiver and sender.
class Collector {
public:
    explicit Collector(int ranks) : ranks_(ranks) {}

    bool is_empty() const { return found_.empty(); }

    std::vector<Message> take() {
        std::vector<Message> list;
        for (auto& [ends, message] : found_) {
            list.push_back(std::move(message));
        }
        return list;
    }

    /// `from` or `to` may stand for several; nobody sends to itself.
    void add(int from, int to, Blocks blocks, bool combined) {
        const int several = schedule::is_several(from) ? from : to;
        schedule::for_each_member(several, ranks_, [&](int other) {
            add_one(schedule::is_several(from) ? other : from, schedule::is_several(to) ? other : to, blocks,
                    combined);
        });
    }

private:
    void add_one(int from, int to, Blocks blocks, bool combined) {
        if (from == to) {
            return;
        }
        Message& message = found_[{to, from}];
        message.from = from;
        message.to = to;
        message.combined = message.combined || combined;
        if (std::ranges::find(message.blocks, blocks) == message.blocks.end()) {
            message.blocks.push_back(blocks);
        }
    }

    int ranks_;
    std::map<std::pair<int, int>, Message> found_;
};

/// The messages of one round, by the members that carry them out.
struct RoundCollector {
    Collector read;
    Collector stored;

    explicit RoundCollector(int ranks) : read(ranks), stored(ranks) {}

    void add(int actor, const Move& move) {
        read.add(move.left.member, actor, move.left.blocks, move.reduces);
        if (move.has_right()) {
            read.add(move.right.member, actor, move.right.blocks, true);
        }
        stored.add(actor, move.to.member, move.to.blocks, false);
    }
};

} // namespace

std::vector<Panel> panels(const Schedule& schedule) {
    std::vector<RoundCollector> rounds(static_cast<std::size_t>(schedule.rounds()),
                                       RoundCollector(schedule.ranks()));
    for (int rank = 0; rank < schedule.ranks(); ++rank) {
        const schedule::Program program = schedule.program(rank);
        for (std::size_t round = 0; round < rounds.size(); ++round) {
            for (const Move& move : program[round]) {
                rounds[round].add(rank, move);
            }
        }
    }
    std::vector<Panel> drawn;
    int number = 0;
    for (RoundCollector& round : rounds) {
        // A round in which members only move what they have is none to look at.
        if (round.read.is_empty() && round.stored.is_empty()) {
            continue;
        }
        const bool has_both = !round.read.is_empty() && !round.stored.is_empty();
        for (Collector* const part : {&round.read, &round.stored}) {
            if (!part->is_empty()) {
                drawn.push_back({number, has_both && part == &round.stored, part->take()});
            }
        }
        ++number;
    }
    return drawn;
}

std::string heading(const Panel& panel) {
    return "round " + std::to_string(panel.round) + (panel.results ? ", results" : "");
}

std::string blocks_text(const Message& message, int blocks) {
    std::vector<char> has(static_cast<std::size_t>(blocks), 0);
    for (const Blocks range : message.blocks) {
        for_each_within(range, blocks, 0, blocks,
                        [&](int /*i*/, int block) { has[static_cast<std::size_t>(block)] = 1; });
    }
    if (std::ranges::find(has, 0) == has.end()) {
        return "all";
    }
    const auto is_in = [&](int block) { return has[static_cast<std::size_t>(wrap(block, blocks))] != 0; };
    std::string text;
    for (int first = 0; first < blocks; ++first) {
        if (!is_in(first) || is_in(first - 1)) {
            continue;
        }
        int last = first;
        while (is_in(last + 1)) {
            ++last;
        }
        text += (text.empty() ? "" : ", ") + std::to_string(first);
        if (last > first) {
            text += ".." + std::to_string(wrap(last, blocks));
        }
    }
    return text;
}

std::string title(const Schedule& schedule, std::string_view algorithm) {
    std::string text(to_string(schedule.collective()));
    text += " " + std::string(algorithm) + ", " + std::to_string(schedule.ranks()) + " ranks";
    const auto& traits = detail::traits_of(schedule.collective());
    if (traits.takes_number()) {
        text += ", " + std::string(traits.number_name()) + " " + std::to_string(schedule.root());
    }
    return text;
}

} // namespace tutti::draw
