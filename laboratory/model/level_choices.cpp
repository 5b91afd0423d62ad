#include "algorithm/registry.hpp"
#include "model/prediction_table.hpp"
#include "model/tables.hpp"
#include "survey/profile_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

namespace tutti::laboratory {

namespace {

/// Two makers of x86-64 and one of Arm, all with two sockets; on one of them 16 members are in one L3.
constexpr std::array machines{"epyc-7742-2s", "graviton4-2s", "sapphire-rapids-2s", "xeon-8375c-2s"};
constexpr std::array member_counts{16, 64};
/// A smaller gain is within the error of the predictions.
constexpr double least_gain = 1.1;

bool follows_levels(std::string_view name) {
    return name.starts_with("levels-");
}

/// The algorithms that are compared.
std::vector<std::string> names_of(Collective collective) {
    std::vector<std::string> names;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (row.collective == collective &&
            (follows_levels(row.name) || row.name == "flat" || row.name == "direct")) {
            names.emplace_back(row.name);
        }
    }
    return names;
}

std::vector<std::size_t> sizes_of(Collective collective) {
    if (collective == Collective::barrier) {
        return {0};
    }
    constexpr std::size_t most = std::size_t{32} << 20U;
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = 8; bytes <= most; bytes *= 4) {
        sizes.push_back(bytes);
    }
    return sizes;
}

/// Logarithms of gains, added up over machines and numbers of members: by algorithm and size.
using Gains = std::map<std::string, std::vector<double>>;

void add(Gains& gains, const std::vector<PredictedTimes>& times, std::size_t sizes) {
    constexpr double never = std::numeric_limits<double>::infinity();
    for (std::size_t size = 0; size < sizes; ++size) {
        const auto us = [&](const PredictedTimes& each) { return each.us[size] < 0 ? never : each.us[size]; };
        double least_near = never;
        for (const PredictedTimes& each : times) {
            least_near = follows_levels(each.algorithm) ? least_near : std::min(least_near, us(each));
        }
        for (const PredictedTimes& each : times) {
            if (follows_levels(each.algorithm)) {
                std::vector<double>& of_sizes = gains[each.algorithm];
                of_sizes.resize(sizes);
                of_sizes[size] += std::log(least_near / us(each));
            }
        }
    }
}

/// The algorithm that gains the most at a size; empty if none gains enough.
std::string best_of(const Gains& gains, std::size_t size) {
    const double least = std::log(least_gain) * machines.size() * member_counts.size();
    const auto best =
        std::ranges::max_element(gains, {}, [&](const Gains::value_type& each) { return each.second[size]; });
    return best != gains.end() && best->second[size] >= least ? best->first : "";
}

/// The lines of one collective.
std::string lines_of(Collective collective) {
    const PredictionQuery query{.collective = collective,
                                .members = 0,
                                .bytes = sizes_of(collective),
                                .algorithms = names_of(collective)};
    if (std::ranges::none_of(query.algorithms, follows_levels)) {
        return {};
    }
    Gains gains;
    for (const char* const machine : machines) {
        for (const int members : member_counts) {
            PredictionQuery asked = query;
            asked.members = members;
            add(gains, predict(find_line_profile(machine), asked), query.bytes.size());
        }
    }
    std::string text;
    std::string last;
    for (std::size_t size = 0; size < query.bytes.size(); ++size) {
        const std::string best = best_of(gains, size);
        if (best != last) {
            text += fmt::format("        {{{}, {}, \"{}\"}},\n", to_string(collective),
                                size == 0 ? 0 : query.bytes[size], best);
            last = best;
        }
    }
    return text;
}

} // namespace

std::string level_choices_text() {
    std::string lines;
    for (const Collective each : detail::all_collectives) {
        lines += lines_of(each);
    }
    return "// Written by `tutti model --level-choices`, whose output a test compares with this file.\n\n"
           "#include \"choose/select.hpp\"\n\nnamespace tutti::library {\n\nusing enum Collective;\n\n"
           "std::span<const LevelChoice> level_choices() {\n    static constexpr LevelChoice choices[] = "
           "{\n" +
           lines + "    };\n    return choices;\n}\n\n} // namespace tutti::library\n";
}

} // namespace tutti::laboratory
