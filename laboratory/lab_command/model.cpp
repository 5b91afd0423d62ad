#include "algorithm/registry.hpp"
#include "cost/count.hpp"
#include "graph/level_tree.hpp"
#include "lab_command/lab_command.hpp"
#include "model/prediction_errors.hpp"
#include "model/prediction_table.hpp"
#include "model/tables.hpp"
#include "options/bench_options.hpp"
#include "report/results_file.hpp"
#include "survey/profile_json.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace tutti::laboratory {

namespace {

using algorithm::Algorithm;

std::string paper_table(const ModelArguments& arguments, int ranks) {
    const std::array<std::string, 3> known{"rabenseifner-traff-2004", "traff-2023", "traff-2024"};
    bench::check_known("--table", arguments.table, known);
    return arguments.table == known[0]   ? rabenseifner_traff_2004()
           : arguments.table == known[1] ? traff_2023(ranks)
                                         : traff_2024(ranks);
}

std::size_t parsed_bytes(const std::string& text) {
    return bench::as_asked("--bytes: ", [&] { return bench::parse_bytes(text); });
}

constexpr const char* line = "{:<15} {:<34} {:>7} {:>11} {:>11} {:>11} {:>11} {:>12}\n";

std::string prediction(const Algorithm& row, const ModelArguments& arguments, int ranks, double bytes) {
    constexpr double us_per_ns = 1e-3;
    const int root = detail::traits_of(row.collective).example_number(ranks);
    const bool has_bytes = row.collective != Collective::barrier;
    const schedule::Schedule schedule = row.make(ranks, root);
    const cost::Work busiest = cost::busiest_member(schedule);
    const cost::Work in_step = cost::in_step(schedule);
    const cost::Linear linear{arguments.alpha_us, arguments.beta_ns * us_per_ns,
                              arguments.gamma_ns * us_per_ns};
    const auto shown = [&](double multiple) {
        return has_bytes ? fmt::format("{:.4g} m", multiple) : std::string("-");
    };
    return fmt::format(line, to_string(row.collective), row.name, in_step.rounds, shown(busiest.volume),
                       shown(busiest.reductions), shown(in_step.volume), shown(in_step.reductions),
                       bench::format_us(cost::time(in_step, linear, has_bytes ? bytes : 0)));
}

std::string predictions(const ModelArguments& arguments, int ranks) {
    const std::size_t bytes = parsed_bytes(arguments.bytes);
    const std::vector<Collective> wanted = arguments.collective.empty()
                                               ? bench::all_collectives()
                                               : std::vector{bench::collective_named(arguments.collective)};
    std::string text = fmt::format(line, "collective", "algorithm", "rounds", "received", "combined",
                                   "volume", "reductions", "time");
    for (const Algorithm& row : algorithm::registry()) {
        if (std::ranges::find(wanted, row.collective) != wanted.end() && takes(row, ranks)) {
            text += prediction(row, arguments, ranks, static_cast<double>(bytes));
        }
    }
    return text + fmt::format("{} member{}, m = {}; time = rounds * {} us + volume * {} ns a byte + "
                              "reductions * {} ns a byte, with all members in step.\nReceived and combined: "
                              "by the member with the most. A barrier has no bytes.\n",
                              ranks, ranks == 1 ? "" : "s", bench::format_bytes(bytes), arguments.alpha_us,
                              arguments.beta_ns, arguments.gamma_ns);
}

Collective parsed_collective(const char* option, const std::string& name) {
    return bench::as_asked(option, [&] { return bench::parse_collective(name); });
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
        throw bench::UsageError(
            fmt::format("--levels: sizes must be at least 1 and make 2..{} members", most));
    }
    if (arguments.members && *arguments.members != members) {
        throw bench::UsageError(
            fmt::format("--levels: {} members, but --members are {}", members, *arguments.members));
    }
    return graph::LevelTree::equal(arguments.levels);
}

distance::MachineModel machine_profile(const ModelArguments& arguments) {
    return bench::as_asked("--machine: ", [&] { return find_line_profile(arguments.machine); });
}

/// The requested number, or that of the machine's CPUs.
int members_on(const distance::MachineModel& profile, const ModelArguments& arguments) {
    const std::size_t cpus = bench::as_asked("--machine: ", [&] { return described(profile).pus.size(); });
    const int members = arguments.members.value_or(static_cast<int>(cpus));
    if (members < 2) {
        throw bench::UsageError("--members: there must be at least 2 members");
    }
    if (static_cast<std::size_t>(members) > cpus) {
        throw bench::UsageError(
            fmt::format("--members: {} members do not fit on {} CPUs, each on its own", members, cpus));
    }
    return members;
}

graph::LevelTree tree_of(const ModelArguments& arguments) {
    if (arguments.machine.empty() || !arguments.levels.empty()) {
        return tree_of_levels(arguments);
    }
    const distance::MachineModel profile = machine_profile(arguments);
    return tree_on(described(profile), members_on(profile, arguments));
}

std::string traffic(const ModelArguments& arguments) {
    return traffic_table(parsed_collective("--traffic: ", arguments.traffic), parsed_bytes(arguments.bytes),
                         tree_of(arguments));
}

/// Whether a processor may be one of the machine: what it calls itself has all words of the machine's name,
/// which may begin with "2 x", and have more in parentheses or after a comma.
bool is_processor_of(const std::string& machine, const std::string& processor) {
    const std::size_t count = machine.find(" x ");
    const std::size_t begin = count == std::string::npos ? 0 : count + 3;
    const std::size_t end = std::min(machine.find(" (", begin), machine.rfind(", "));
    std::istringstream words(machine.substr(begin, end - begin));
    for (std::string word; words >> word;) {
        if (processor.find(word) == std::string::npos) {
            return false;
        }
    }
    return true;
}

std::string compared(const ModelArguments& arguments) {
    const distance::MachineModel profile = machine_profile(arguments);
    if (arguments.predict != "all") {
        parsed_collective("--predict: ", arguments.predict);
    }
    const bench::Results results =
        bench::as_asked("--measured: ", [&] { return bench::read_json(arguments.measured); });
    ModelArguments asked = arguments;
    if (!asked.members) {
        asked.members = bench::as_asked(
            "--measured: ", [&] { return most_members_comparable(results.points, arguments.predict); });
    }
    const int members = members_on(profile, asked);
    const std::string& processor = results.circumstances.front().value;
    std::string text = fmt::format("predicted for {}, measured on {}, {} members\n", profile.name,
                                   processor.empty() ? "an unknown processor" : processor, members);
    if (!processor.empty() && !is_processor_of(profile.name, processor)) {
        text += "warning: these are different machines, so the errors say nothing of the prediction\n";
    }
    return text + bench::as_asked("--measured: ", [&] {
               return prediction_errors(
                   predicted_points(profile, results.points, members, arguments.predict));
           });
}

std::string predicted(const ModelArguments& arguments) {
    if (!arguments.measured.empty()) {
        return compared(arguments);
    }
    const Collective collective = parsed_collective("--predict: ", arguments.predict);
    const distance::MachineModel profile = machine_profile(arguments);
    const graph::LevelTree tree = tree_of(arguments);
    PredictionQuery query{.collective = collective,
                          .members = tree.ranks(),
                          .bytes = {},
                          .algorithms = arguments.algorithms,
                          .tree = tree};
    if (query.algorithms == std::vector<std::string>{"all"}) {
        query.algorithms.clear();
    }
    std::istringstream sizes(arguments.bytes);
    for (std::string size; std::getline(sizes, size, ',');) {
        query.bytes.push_back(parsed_bytes(size));
    }
    if (query.collective == Collective::barrier) {
        query.bytes = {0};
    }
    return bench::as_asked("--predict: ", [&] { return prediction_table(profile, query); });
}

/// Costs that are negative, or no numbers.
void check_costs(const ModelArguments& arguments) {
    const auto check = [](const char* option, double cost) {
        if (!(cost >= 0)) {
            throw bench::UsageError(fmt::format("{}: {} is not at least 0", option, cost));
        }
    };
    check("--alpha", arguments.alpha_us);
    check("--beta", arguments.beta_ns);
    check("--gamma", arguments.gamma_ns);
}

/// The costs of schedules, or a table of a paper.
std::string costs(const ModelArguments& arguments) {
    if (!arguments.machine.empty()) {
        throw bench::UsageError("--machine: what of it? --predict or --traffic, as in --predict allreduce");
    }
    const int ranks = arguments.members.value_or(ModelArguments::default_ranks);
    if (ranks < 1 || ranks > bench::most_ranks) {
        throw bench::UsageError(fmt::format("--members: {} is not in 1..{}", ranks, bench::most_ranks));
    }
    return arguments.table.empty() ? predictions(arguments, ranks) : paper_table(arguments, ranks);
}

} // namespace

int run_model(const ModelArguments& arguments) {
    check_costs(arguments);
    fmt::print("{}", arguments.level_choices      ? level_choices_text()
                     : !arguments.traffic.empty() ? traffic(arguments)
                     : !arguments.predict.empty() ? predicted(arguments)
                                                  : costs(arguments));
    return bench::exit_fine;
}

} // namespace tutti::laboratory
