#include "algorithm/registry.hpp"
#include "draw/drawings.hpp"
#include "lab_command/lab_command.hpp"
#include "machine/placement.hpp"
#include "model/machine_drawing.hpp"
#include "options/bench_options.hpp"
#include "survey/profile_json.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "verify/verify.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace tutti::laboratory {

namespace {

using algorithm::Algorithm;

constexpr int most_drawn_ranks = 64;
constexpr int default_ranks = 8;

const Algorithm& chosen_row(const DrawArguments& arguments) {
    const Collective collective = bench::collective_named(arguments.collective);
    bench::check_known("--algorithm", arguments.algorithm, bench::algorithm_names(std::array{collective}));
    return *algorithm::find(collective, arguments.algorithm);
}

void check_numbers(const DrawArguments& arguments, const std::string& format, const Algorithm& row,
                   int ranks) {
    const int most = format == "svg" ? most_drawn_ranks : bench::most_ranks;
    if (ranks < 1 || ranks > most) {
        throw bench::UsageError(fmt::format("--members: {} is not in 1..{}", ranks, most));
    }
    if (!takes(row, ranks)) {
        throw bench::UsageError(fmt::format("--algorithm: {} {} is for powers of two, not for {} members",
                                            arguments.collective, row.name, ranks));
    }
    if (arguments.root < 0 || arguments.root >= ranks || (arguments.root > 0 && !has_root(row))) {
        throw bench::UsageError(fmt::format("--root: {} has no root {} among {} ranks", arguments.collective,
                                            arguments.root, ranks));
    }
}

draw::Layout layout_called(const std::string& name) {
    const std::array<std::string, 3> known{"rows", "circle", "graph"};
    bench::check_known("--layout", name, known);
    return static_cast<draw::Layout>(std::ranges::find(known, name) - known.begin());
}

/// The requested format, or that of the file's name, which must be the same.
std::string format_of(const DrawArguments& arguments) {
    if (!arguments.format.empty()) {
        bench::check_known("--format", arguments.format, std::array<std::string, 2>{"svg", "text"});
    }
    const std::string extension = std::filesystem::path(arguments.output).extension();
    if (extension.empty()) {
        return arguments.format.empty() ? "svg" : arguments.format;
    }
    if (extension != ".svg" && extension != ".txt") {
        throw bench::UsageError(fmt::format(
            "--output: {} is not a format that tutti draws in; there are svg (.svg) and text (.txt)",
            extension));
    }
    const std::string said = extension == ".svg" ? "svg" : "text";
    if (!arguments.format.empty() && arguments.format != said) {
        throw bench::UsageError(
            fmt::format("--output: {} is for {}, but --format says {}", extension, said, arguments.format));
    }
    return said;
}

/// The places of members on the named machine.
MachineDrawing placed_members(const DrawArguments& arguments) {
    if (arguments.ranks && *arguments.ranks < 1) {
        throw bench::UsageError(fmt::format("--members: {} is not at least 1", *arguments.ranks));
    }
    const machine::PlacementRequest placement =
        bench::as_asked("--placement: ", [&] { return machine::parse_placement(arguments.placement); });
    return bench::as_asked("--machine: ", [&] {
        return machine_drawing(find_line_profile(*arguments.machine), arguments.ranks.value_or(0), placement);
    });
}

std::string schedule_in(const std::string& format, const DrawArguments& arguments) {
    const Algorithm& row = chosen_row(arguments);
    std::string name(row.name);
    std::optional<graph::LevelTree> tree;
    if (arguments.machine) {
        if (row.make_on == nullptr) {
            throw bench::UsageError(
                fmt::format("--machine: {} {} is the same on all machines", arguments.collective, row.name));
        }
        tree = placed_members(arguments).members.tree;
        name += fmt::format(" on levels of {}", fmt::join(tree->dimensions(), " x "));
    }
    const int ranks = tree ? tree->ranks() : arguments.ranks.value_or(default_ranks);
    check_numbers(arguments, format, row, ranks);
    const schedule::Schedule schedule =
        tree ? make(row, *tree, arguments.root) : row.make(ranks, arguments.root);
    if (arguments.expression) {
        const int block = schedule.blocks() == schedule.ranks() ? *arguments.expression : 0;
        return bench::as_asked("--expression: ", [&] {
            return verify::expression(schedule, *arguments.expression, block) + "\n";
        });
    }
    if (format == "svg") {
        return draw::svg(schedule, name,
                         layout_called(arguments.layout.value_or(DrawArguments::default_layout)));
    }
    return draw::text(schedule, name);
}

} // namespace

int run_draw(const DrawArguments& arguments) {
    const std::string format = arguments.expression ? "text" : format_of(arguments);
    const bool is_of_machine = arguments.machine && arguments.collective.empty();
    if (arguments.layout && (format != "svg" || is_of_machine)) {
        throw bench::UsageError("--layout: only the SVG of a schedule has one");
    }
    bench::write_output(arguments.output, !is_of_machine    ? schedule_in(format, arguments)
                                          : format == "svg" ? machine_svg(placed_members(arguments))
                                                            : machine_text(placed_members(arguments)));
    return bench::exit_fine;
}

} // namespace tutti::laboratory
