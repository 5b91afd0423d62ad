#include "algorithm/registry.hpp"
#include "choose/exploration.hpp"
#include "choose/group_config.hpp"
#include "choose/tuning_file.hpp"
#include "lab_command/lab_command.hpp"
#include "machine/placement.hpp"
#include "model/prediction_table.hpp"
#include "options/bench_options.hpp"
#include "prove/prove_rows.hpp"
#include "survey/profile_json.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/text.hpp"
#include "threads/tutti_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace tutti::laboratory {

namespace {

using algorithm::Algorithm;
using library::Reason;

/// All that is known about one call.
struct Answer {
    bench::Problem problem;
    bench::SelectionInput input;
    library::GroupConfig config;
    library::Selection selection;
    /// The entry for the call; may be null.
    const tuning::Entry* entry = nullptr;
};

bench::Problem asked_problem(const ChoiceArguments& arguments) {
    if (arguments.members < 1 || arguments.members > bench::most_members) {
        throw bench::UsageError(
            fmt::format("--members: {} is not in 1..{}", arguments.members, bench::most_members));
    }
    const Type type = bench::as_asked("--type: ", [&] { return bench::parse_type(arguments.type); });
    const Operator op = bench::as_asked("--op: ", [&] { return bench::parse_operator(arguments.op); });
    const std::size_t bytes =
        bench::as_asked("--bytes: ", [&] { return bench::parse_bytes(arguments.bytes); });
    return bench::as_asked("--why: ", [&] {
        bench::check_operator(type, op);
        bench::Problem problem = bench::make_problem(bench::parse_collective(arguments.collective), type, op,
                                                     arguments.members, bytes, arguments.in_place);
        problem.shared = arguments.shared;
        bench::check_shared(problem);
        return problem;
    });
}

/// The configuration of a team on another machine, where each member has a CPU and nothing has been tuned.
library::GroupConfig config_elsewhere(const ChoiceArguments& arguments) {
    return bench::as_asked("--machine: ", [&] {
        const machine::Machine machine = described(find_line_profile(arguments.machine));
        library::GroupConfig config;
        config.cpus = arguments.members;
        config.process_cpus = static_cast<int>(machine.pus.size());
        config.l3_groups = tuning::l3_groups(machine, cpus_on(machine, arguments.members, {}));
        config.tuning = "the library on another machine, where nothing has been tuned";
        return config;
    });
}

library::GroupConfig config_of(const ChoiceArguments& arguments) {
    if (!arguments.machine.empty()) {
        return config_elsewhere(arguments);
    }
    return bench::as_asked("--placement: ", [&] {
        return library::config_for({}, machine::place(tuning::this_machine(), arguments.members,
                                                      machine::parse_placement(arguments.placement)));
    });
}

std::string title(const Answer& answer) {
    const bench::Problem& problem = answer.problem;
    return fmt::format(
        "{}{}{}{} among {} on {}, in {}\n", to_string(problem.collective),
        problem.collective == Collective::barrier
            ? ""
            : fmt::format(" of {} of {}", bench::format_bytes(problem.bytes()), to_string(problem.type)),
        problem.reduces() ? fmt::format(" with {}", to_string(problem.op)) : "",
        problem.in_place ? " in place"
        : problem.shared ? " into one vector for all"
                         : "",
        bench::counted(static_cast<std::size_t>(problem.members), "member"),
        bench::counted(static_cast<std::size_t>(answer.config.process_cpus), "CPU"),
        bench::counted(static_cast<std::size_t>(answer.config.l3_groups), "L3 group"));
}

/// The line for a table that was measured, but not near such a call.
std::string not_in_table(const ChoiceArguments& arguments, const Answer& answer) {
    if (!arguments.machine.empty() || answer.entry != nullptr || tuning::source_of({}).table == nullptr) {
        return {};
    }
    return fmt::format("not in table: it has nothing near {} of {} among {} in {}\n",
                       to_string(answer.problem.collective), bench::format_bytes(answer.problem.bytes()),
                       bench::counted(static_cast<std::size_t>(answer.problem.members), "member"),
                       bench::counted(static_cast<std::size_t>(answer.config.l3_groups), "L3 group"));
}

/// The candidates of a group in its first calls of the kind.
std::string trials(const Answer& answer) {
    const bench::SelectionInput& input = answer.input;
    const auto all = library::candidates(input.call, input.size, answer.config.choices,
                                         library::TrialTimes::most_candidates);
    if (!answer.config.explores || !library::explored_kind(input.call, input.size) || all.size() < 2) {
        return {};
    }
    std::string text;
    for (const library::Selection& each : all) {
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ",
                            tuning::name_of(algorithm::registry()[each.row], each.stores),
                            tuning::source_name(each.reason));
    }
    return fmt::format(
        "then tries:   {}; one call each, {} more if it is not much slower, and keeps the fastest\n", text,
        library::Exploration::rounds);
}

/// The times of an entry in which ways to store differ, which the table of algorithms cannot show.
std::string ways_measured(const Answer& answer) {
    const auto has_way = [](const tuning::Measured& each) {
        return each.stores != tuning::Stores::by_policy;
    };
    if (answer.entry == nullptr || std::ranges::none_of(answer.entry->measured, has_way)) {
        return {};
    }
    std::string text;
    for (const tuning::Measured& each : answer.entry->measured) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                            tuning::name_of(algorithm::registry()[each.row], each.stores),
                            bench::format_us(each.us));
    }
    return fmt::format("measured:     {}\n", text);
}

std::string rule_of(const Answer& answer) {
    switch (answer.selection.reason) {
    case Reason::measured: {
        const tuning::Point& point = answer.entry->point;
        return fmt::format("it is the choice of the table's nearest entry: {} {}, {} members, {}{}",
                           to_string(point.collective), to_string(point.operands), point.members,
                           bench::format_bytes(point.bytes), point.in_place ? " in place" : "");
    }
    case Reason::eager:
        return "the built-in choice for what the mailbox carries, in one exchange";
    case Reason::brief:
        return "the built-in choice for what is short but not carried";
    case Reason::two:
        return "the built-in choice for two members";
    case Reason::unread:
        return "the built-in choice that leaves inputs unread, because their owners soon write them again";
    case Reason::vectors:
        return "the built-in choice for vectors that are neither short nor long";
    case Reason::long_vectors:
        return "the built-in choice for long vectors";
    case Reason::shared:
        return "the built-in choice for a result that all members share";
    case Reason::levels:
        return "the built-in choice for members that are many, or in several L3 caches";
    case Reason::tried: // no choice before a call
    case Reason::named:
        break;
    }
    return "the call names it";
}

std::string passed_over(const Answer& answer) {
    if (answer.entry == nullptr || answer.selection.reason == Reason::measured) {
        return {};
    }
    return fmt::format("passed over:  {}, the choice of the table's nearest entry, which cannot serve here "
                       "or would copy its input first\n",
                       algorithm::registry()[answer.entry->measured.front().row].name);
}

/// Whether, or why not, the library may choose the row.
std::string standing(const Answer& answer, std::size_t index) {
    const Algorithm& row = algorithm::registry()[index];
    if (index == answer.selection.row) {
        return "chosen";
    }
    const std::string refusal = library::refusal(row, answer.input.call, answer.problem.members);
    if (!refusal.empty()) {
        return "cannot serve: " + refusal;
    }
    const tuning::Operands operands = library::operands_of(answer.input.call);
    return tuning::may_choose(row, operands, answer.problem.members)
               ? "may be chosen"
               : "only by name: combines in another order, so that bits may differ";
}

std::vector<std::string> cells_of(const Answer& answer, std::size_t index) {
    const Algorithm& row = algorithm::registry()[index];
    const bench::Problem& problem = answer.problem;
    if (!takes(row, problem.members)) {
        return {std::string(row.name), "-", "-", "-", standing(answer, index)};
    }
    std::string measured = "-";
    if (answer.entry != nullptr) {
        const auto& times = answer.entry->measured;
        const auto found = std::ranges::find(times, index, &tuning::Measured::row);
        measured = found != times.end() ? bench::format_us(found->us) : "-";
    }
    return {std::string(row.name),
            std::string(name_of(library::protocol_of(index, answer.input.call, answer.input.size))),
            fmt::format("{}", row.cost(problem.members, problem.number()).rounds), measured,
            standing(answer, index)};
}

} // namespace

std::string explain_choice(const ChoiceArguments& arguments, std::size_t width) {
    Answer answer{
        .problem = asked_problem(arguments), .input = {}, .config = config_of(arguments), .selection = {}};
    answer.input = bench::selection_input_of(answer.problem);
    answer.input.size.cpus = answer.config.cpus;
    answer.input.size.l3_groups = answer.config.l3_groups;
    const bench::SelectionInput& input = answer.input;
    answer.selection = library::select(input.call, input.size, answer.config.choices);
    answer.entry = library::entry_for(input.call, input.size, answer.config.choices);
    const auto rows = algorithm::registry();
    std::string text = title(answer);
    text +=
        fmt::format("chosen:       {}, {}\n",
                    tuning::name_of(rows[answer.selection.row], answer.selection.stores), rule_of(answer));
    text += ways_measured(answer) + passed_over(answer) + trials(answer);
    text += fmt::format("choices from: {}\n", answer.config.tuning);
    text += not_in_table(arguments, answer) + "\n";
    bench::Table table({{.heading = "algorithm", .rank = 0, .left_aligned = true},
                        {.heading = "form", .rank = 3, .left_aligned = true},
                        {.heading = "rounds", .rank = 4},
                        {.heading = "measured", .rank = 1},
                        {.heading = "", .rank = 0, .left_aligned = true, .folds = true}});
    for (std::size_t index = 0; index < rows.size(); ++index) {
        if (rows[index].collective == answer.problem.collective) {
            table.add(cells_of(answer, index));
        }
    }
    return bench::wrapped(text, width) + table.text(width);
}

} // namespace tutti::laboratory
