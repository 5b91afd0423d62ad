#include "algorithm/registry.hpp"
#include "cost/count.hpp"
#include "cost/traffic.hpp"
#include "graph/graphs.hpp"
#include "model/prediction_table.hpp"
#include "model/tables.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
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

using cost::Work;
using graph::Skips;

/// A row of Träff et al. 2023, Table I.
struct TraffRow {
    std::string_view name;
    Collective collective;
    std::string_view algorithm;
    Work (*formula)(int ranks);
    std::string_view remark;
};

constexpr std::array traff_rows{
    TraffRow{"reduction-to-all", Collective::allreduce, "census", cost::census_allreduce,
             "reductions saved in the first and last round and after even skips"},
    TraffRow{"  butterfly", Collective::allreduce, "butterfly-elimination-2-1", cost::butterfly_allreduce,
             ""},
    TraffRow{"reduction-to-root", Collective::reduce, "circulant", cost::circulant_reduce, ""},
    TraffRow{"reduce-scatter", Collective::reduce_scatter, "circulant-uniform",
             cost::circulant_reduce_scatter_2023,
             "p - 1 reductions, as in Listing 6: the other blocks start as copies"},
    TraffRow{"allgather", Collective::allgather, "circulant", cost::circulant_allgather, ""},
    TraffRow{"  Bruck", Collective::allgather, "bruck", cost::circulant_allgather, ""},
};

std::string in_words(const Work& work) {
    return fmt::format("{:.4g} alpha + {:.4g} beta m + {:.4g} gamma m", work.rounds, work.volume,
                       work.reductions);
}

bool equal(const Work& a, const Work& b) {
    constexpr double slack = 1e-9;
    return std::abs(a.rounds - b.rounds) < slack && std::abs(a.volume - b.volume) < slack &&
           std::abs(a.reductions - b.reductions) < slack;
}

std::string skips_text(const std::vector<int>& skips) {
    constexpr std::size_t most_shown = 10;
    std::string text;
    for (std::size_t index = 1; index < skips.size() && index <= most_shown; ++index) {
        text += fmt::format("{}{}", index == 1 ? "" : " ", skips[index]);
    }
    return skips.size() - 1 > most_shown ? text + " ... 1" : text;
}

struct Scheme {
    Skips kind;
    std::string_view reduce_scatter;
};

constexpr std::array schemes{Scheme{Skips::halving, "circulant"},
                             Scheme{Skips::power_of_two, "circulant-power-of-two"},
                             Scheme{Skips::square_root, "circulant-square-root"},
                             Scheme{Skips::fully_connected, "circulant-fully-connected"}};

} // namespace

std::string traffic_table(Collective collective, std::size_t bytes, const LevelTree& tree) {
    const int root = detail::traits_of(collective).example_number(tree.ranks());
    const std::vector<Counted> all = all_counted(collective, bytes, tree);
    std::string text = fmt::format("{} of {}, {} members: what crosses the borders of groups, counted from "
                                   "the schedules.\nInto and out of the group with the most, and in all.\n",
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

std::string traff_2023(int ranks) {
    constexpr const char* line = "{:<19} {:<38} {:<44} {:<44}{}\n";
    std::string text = fmt::format("Träff et al. 2023, Table I, p = {}\n\n", ranks);
    text += fmt::format(line, "operation", "schedule", "counted", "the paper's formula", "");
    for (const TraffRow& row : traff_rows) {
        const auto schedule = algorithm::find(row.collective, row.algorithm)->make(ranks, 0);
        const Work counted = cost::in_step(schedule);
        const Work formula = row.formula(ranks);
        text += fmt::format(line, row.name, fmt::format("{} {}", to_string(row.collective), row.algorithm),
                            in_words(counted), in_words(formula),
                            equal(counted, formula) ? "" : fmt::format("  # differs: {}", row.remark));
    }
    return text +
           "\nThe paper's gamma terms for local copies are left out: pulled in place, nothing is copied. Its "
           "butterfly\nreduce-scatter and allgather for other than powers of two are not registered.\n";
}

std::string traff_2024(int ranks) {
    std::string text = fmt::format("Träff 2024, p = {}\n\nCorollary 1: T(m, p) = {}\n", ranks,
                                   in_words(cost::circulant_reduce_scatter(ranks)));
    const auto counted =
        cost::in_step(algorithm::find(Collective::reduce_scatter, "circulant")->make(ranks, 0));
    text += fmt::format("counted:               {}{}\n\n", in_words(counted),
                        equal(counted, cost::circulant_reduce_scatter(ranks)) ? "" : "  # differs");
    constexpr const char* line = "{:<17} {:<44} {:>14} {:>8} {:>11} {:>17} {:>8}\n";
    text += fmt::format(line, "skips", "s_1 > s_2 > ... > 1", "reduce-scatter", "blocks", "reductions",
                        "allreduce: rounds", "blocks");
    for (const Scheme& scheme : schemes) {
        const auto half = algorithm::find(Collective::reduce_scatter, scheme.reduce_scatter)->make(ranks, 0);
        const auto whole = algorithm::find(Collective::allreduce, scheme.reduce_scatter)->make(ranks, 0);
        const Work first = cost::in_step(half);
        const Work both = cost::in_step(whole);
        text +=
            fmt::format(line, to_string(scheme.kind), skips_text(graph::skips(ranks, scheme.kind)),
                        fmt::format("{} rounds", first.rounds), std::round(first.volume * ranks),
                        std::round(first.reductions * ranks), both.rounds, std::round(both.volume * ranks));
    }
    return text;
}

} // namespace tutti::laboratory
