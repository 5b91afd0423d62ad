#include "command/model.hpp"

#include "algorithm/registry.hpp"
#include "cost/model.hpp"
#include "graph/level_tree.hpp"
#include "model/cluster_model.hpp"
#include "model/machine_model.hpp"
#include "model/paper_tables.hpp"
#include "model/prediction_errors.hpp"
#include "model/prediction_table.hpp"
#include "model/traffic_table.hpp"
#include "options/limits.hpp"
#include "report/results_file.hpp"
#include "survey/find_profile.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace tutti::bench {

namespace {

using algorithm::Algorithm;

std::string paper_table(const ModelArguments& arguments) {
    if (arguments.table == "rabenseifner-traff-2004") {
        return rabenseifner_traff_2004();
    }
    if (arguments.table == "traff-2023") {
        return traff_2023(arguments.ranks);
    }
    if (arguments.table == "traff-2024") {
        return traff_2024(arguments.ranks);
    }
    throw UsageError(fmt::format("--table: \"{}\" is none of rabenseifner-traff-2004, traff-2023, traff-2024",
                                 arguments.table));
}

std::size_t parsed_bytes(const std::string& text) {
    try {
        return parse_bytes(text);
    } catch (const std::invalid_argument& error) {
        throw UsageError(fmt::format("--bytes: {}", error.what()));
    }
}

constexpr const char* line = "{:<15} {:<34} {:>7} {:>11} {:>11} {:>11} {:>11} {:>12}\n";

std::string prediction(const Algorithm& row, const ModelArguments& arguments, double bytes) {
    constexpr double us_per_ns = 1e-3;
    const int root = row.collective == schedule::Collective::shift && arguments.ranks > 1 ? 1 : 0;
    const schedule::Schedule schedule = row.make(arguments.ranks, root);
    const cost::Work busiest = cost::busiest_member(schedule);
    const cost::Work in_step = cost::in_step(schedule);
    const cost::Linear linear{arguments.alpha_us, arguments.beta_ns * us_per_ns,
                              arguments.gamma_ns * us_per_ns};
    const auto shown = [](double multiple) { return fmt::format("{:.4g} m", multiple); };
    return fmt::format(line, to_string(row.collective), row.name, in_step.rounds, shown(busiest.volume),
                       shown(busiest.reductions), shown(in_step.volume), shown(in_step.reductions),
                       format_us(cost::time(in_step, linear, bytes)));
}

std::string predictions(const ModelArguments& arguments) {
    const std::size_t bytes = parsed_bytes(arguments.bytes);
    std::string text = fmt::format(line, "collective", "algorithm", "rounds", "received", "combined",
                                   "in step", "in step", "time");
    const std::size_t header = text.size();
    for (const Algorithm& row : algorithm::registry()) {
        const bool wanted = arguments.collective.empty() || to_string(row.collective) == arguments.collective;
        if (wanted && takes(row, arguments.ranks)) {
            text += prediction(row, arguments, static_cast<double>(bytes));
        }
    }
    if (text.size() == header) {
        throw UsageError(fmt::format("--collective: nothing is registered for \"{}\"", arguments.collective));
    }
    return text +
           fmt::format(
               "{} ranks, m = {}; time = rounds * {} us + volume * {} ns a byte + reductions * {} ns a "
               "byte, with all members in step.\nReceived and combined: by the member with the most.\n",
               arguments.ranks, format_bytes(bytes), arguments.alpha_us, arguments.beta_ns,
               arguments.gamma_ns);
}

std::string cluster(const ModelArguments& arguments) {
    constexpr double us_per_ns = 1e-3;
    constexpr int most = 1 << 20;
    if (arguments.nodes < 2 || arguments.nodes > most || arguments.threads < 1 ||
        arguments.threads > most / 1024 || arguments.lanes < 1) {
        throw UsageError(
            fmt::format("--cluster: --nodes must be in 2..{}, --threads in 1..{}, --lanes at least 1", most,
                        most / 1024));
    }
    return cluster_table({.threads = arguments.threads,
                          .lanes = arguments.lanes,
                          .bytes = static_cast<double>(parsed_bytes(arguments.bytes)),
                          .alpha_us = arguments.alpha_us,
                          .beta_us = arguments.beta_ns * us_per_ns,
                          .gamma_us = arguments.gamma_ns * us_per_ns,
                          .local_alpha_us = arguments.local_alpha_us,
                          .local_beta_us = arguments.local_beta_ns * us_per_ns},
                         arguments.nodes);
}

schedule::Collective parsed_collective(const char* option, const std::string& name) {
    for (int number = 0; number < schedule::collective_count; ++number) {
        const auto collective = static_cast<schedule::Collective>(number);
        if (to_string(collective) == name) {
            return collective;
        }
    }
    throw UsageError(fmt::format("{}: \"{}\" is no collective", option, name));
}

/// The tree that sizes of levels make.
graph::LevelTree tree_of_levels(const ModelArguments& arguments) {
    // Every member may have a program with a step for every other.
    constexpr long most = 2048;
    long members = 1;
    for (const int size : arguments.levels) {
        members = size < 1 ? most + 1 : std::min(members * size, most + 1);
    }
    if (members < 2 || members > most) {
        throw UsageError(fmt::format("--levels: sizes must be at least 1 and make 2..{} members", most));
    }
    if (members != arguments.threads) {
        throw UsageError(
            fmt::format("--levels: {} members, but --members are {}", members, arguments.threads));
    }
    return graph::LevelTree::equal(arguments.levels);
}

distance::LineProfile machine_profile(const ModelArguments& arguments) {
    return as_asked("--machine: ", [&] { return find_line_profile(arguments.machine); });
}

void require_two(const ModelArguments& arguments) {
    if (arguments.threads < 2) {
        throw UsageError("--members: there must be at least 2 members");
    }
}

graph::LevelTree tree_of_machine(const ModelArguments& arguments) {
    require_two(arguments);
    const distance::LineProfile profile = machine_profile(arguments);
    return as_asked("--members: ", [&] { return tree_on(described(profile), arguments.threads); });
}

std::string traffic(const ModelArguments& arguments) {
    return traffic_table(parsed_collective("--traffic", arguments.traffic), parsed_bytes(arguments.bytes),
                         arguments.machine.empty() ? tree_of_levels(arguments) : tree_of_machine(arguments));
}

std::string compared(const ModelArguments& arguments) {
    require_two(arguments);
    const distance::LineProfile profile = machine_profile(arguments);
    return as_asked("--measured: ", [&] {
        const Results results = read_json(arguments.measured);
        const std::string& processor = results.circumstances.front().value;
        return fmt::format("predicted for {}, measured on {}\n", profile.name,
                           processor.empty() ? "an unknown processor" : processor) +
               prediction_errors(
                   predicted_points(profile, results.points, arguments.threads, arguments.predict));
    });
}

std::string predicted(const ModelArguments& arguments) {
    if (!arguments.measured.empty()) {
        return compared(arguments);
    }
    PredictionQuery query{.collective = parsed_collective("--predict", arguments.predict),
                          .members = arguments.threads,
                          .bytes = {},
                          .algorithms = arguments.algorithms};
    if (query.algorithms == std::vector<std::string>{"all"}) {
        query.algorithms.clear();
    }
    std::istringstream sizes(arguments.bytes);
    for (std::string size; std::getline(sizes, size, ',');) {
        query.bytes.push_back(parsed_bytes(size));
    }
    if (query.collective == schedule::Collective::barrier) {
        query.bytes = {0};
    }
    require_two(arguments);
    const distance::LineProfile profile = machine_profile(arguments);
    return as_asked("--predict: ", [&] { return prediction_table(profile, query); });
}

} // namespace

int run_model(const ModelArguments& arguments) {
    if (arguments.cluster) {
        fmt::print("{}", cluster(arguments));
        return exit_fine;
    }
    if (!arguments.traffic.empty()) {
        fmt::print("{}", traffic(arguments));
        return exit_fine;
    }
    if (!arguments.predict.empty()) {
        fmt::print("{}", predicted(arguments));
        return exit_fine;
    }
    if (!arguments.machine.empty()) {
        throw UsageError("--machine: what of it? --predict or --traffic, as in --predict allreduce");
    }
    if (arguments.ranks < 1 || arguments.ranks > most_ranks) {
        throw UsageError(fmt::format("--members: {} is not in 1..{}", arguments.ranks, most_ranks));
    }
    fmt::print("{}", arguments.table.empty() ? predictions(arguments) : paper_table(arguments));
    return exit_fine;
}

} // namespace tutti::bench
