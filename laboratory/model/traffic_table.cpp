#include "model/traffic_table.hpp"

#include "cost/traffic.hpp"
#include "model/candidates.hpp"
#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::laboratory {

namespace {

using algorithm::Protocols;
using cost::LevelTraffic;
using graph::LevelTree;
using schedule::Protocol;
using schedule::Schedule;

constexpr const char* line = "  {:<32} {:>7} {:>11} {:>11} {:>11} {:>9} {:>9} {:>9}\n";

/// The traffic of one algorithm.
struct Counted {
    std::string name;
    Protocol protocol;
    int rounds;
    double block_bytes;
    std::vector<LevelTraffic> levels;
};

/// Messages that fit into a slot are eager if possible.
std::optional<Protocol> protocol_for(const Protocols& protocols, std::size_t bytes) {
    constexpr std::size_t in_a_slot = 32;
    if (protocols.eager && (bytes <= in_a_slot || !protocols.pulled)) {
        return bytes <= in_a_slot ? std::optional(Protocol::eager) : std::nullopt;
    }
    return protocols.pulled ? std::optional(Protocol::zero_copy) : std::nullopt;
}

std::vector<Counted> all_counted(Collective collective, std::size_t bytes, const LevelTree& tree) {
    std::vector<Counted> all;
    for (const Candidate& candidate : candidates(collective, tree)) {
        if (const auto protocol = protocol_for(candidate.protocols, bytes)) {
            Schedule made = candidate.make();
            const int rounds = made.rounds();
            const double block_bytes = static_cast<double>(bytes) / made.blocks();
            all.push_back({candidate.name, *protocol, rounds, block_bytes,
                           cost::traffic(schedule::synchronise(std::move(made), *protocol), tree)});
        }
    }
    return all;
}

std::string shown(double bytes) {
    return bench::format_bytes(static_cast<std::size_t>(std::llround(bytes)));
}

std::string row(const Counted& algorithm, const LevelTraffic& level) {
    const cost::Border most = level.most();
    const auto bytes = [&](const cost::Crossing& crossing) {
        return shown(static_cast<double>(crossing.blocks) * algorithm.block_bytes);
    };
    return fmt::format(line, algorithm.name, algorithm.rounds, bytes(most.in), bytes(most.out),
                       bytes(level.total()), most.in.slots, most.out.slots, level.total().slots);
}

std::string least_row(const cost::LeastTraffic& least, std::size_t bytes, int groups) {
    const auto m = static_cast<double>(bytes);
    // If all groups together need more than each does, some group has the average.
    const double average = least.total / groups;
    return fmt::format(line, "least", "", shown(std::max(std::ranges::max(least.in), average) * m),
                       shown(std::max(std::ranges::max(least.out), average) * m), shown(least.total * m), "",
                       "", least.lines);
}

} // namespace

std::string traffic_table(Collective collective, std::size_t bytes, const LevelTree& tree) {
    const int root = detail::traits_of(collective).example_number(tree.ranks());
    const std::vector<Counted> all = all_counted(collective, bytes, tree);
    std::string text =
        fmt::format("{} of {}, {} members: what crosses the borders of groups, counted from the "
                    "schedules.\nInto and out of the group with the most, and in all.\n",
                    to_string(collective), bench::format_bytes(bytes), tree.ranks());
    for (int level = 1; level <= tree.last(); ++level) {
        text += fmt::format("level {}, groups: {}, members of each: {}\n", level, tree.groups(level),
                            tree.group(level, 0).count);
        text += fmt::format(line, "", "rounds", "bytes in", "bytes out", "bytes", "slots in", "slots out",
                            "slots");
        text += least_row(cost::least_traffic(collective, tree, level, root), bytes, tree.groups(level));
        for (const Counted& algorithm : all) {
            text += row(algorithm, algorithm.levels[static_cast<std::size_t>(level) - 1]);
        }
    }
    return text;
}

} // namespace tutti::laboratory
