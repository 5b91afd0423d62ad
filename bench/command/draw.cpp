#include "command/draw.hpp"

#include "algorithm/registry.hpp"
#include "draw/dot.hpp"
#include "draw/svg.hpp"
#include "draw/text.hpp"
#include "options/limits.hpp"
#include "options/names.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace tutti::bench {

namespace {

using algorithm::Algorithm;

constexpr int most_drawn_ranks = 64;

const Algorithm& chosen_row(const DrawArguments& arguments) {
    const schedule::Collective collective = collective_named(arguments.collective);
    check_known("--algorithm", arguments.algorithm, algorithm_names(std::array{collective}));
    return *algorithm::find(collective, arguments.algorithm);
}

void check_numbers(const DrawArguments& arguments, const std::string& format, const Algorithm& row) {
    const int most = format == "svg" ? most_drawn_ranks : most_ranks;
    if (arguments.ranks < 1 || arguments.ranks > most) {
        throw UsageError(fmt::format("--members: {} is not in 1..{}", arguments.ranks, most));
    }
    if (!takes(row, arguments.ranks)) {
        throw UsageError(fmt::format("--members: {} {} is for powers of two, not for {}",
                                     arguments.collective, row.name, arguments.ranks));
    }
    if (arguments.root < 0 || arguments.root >= arguments.ranks || (arguments.root > 0 && !has_root(row))) {
        throw UsageError(fmt::format("--root: {} has no root {} among {} ranks", arguments.collective,
                                     arguments.root, arguments.ranks));
    }
}

draw::Layout layout_called(const std::string& name) {
    if (name == "rows") {
        return draw::Layout::rows;
    }
    if (name == "circle") {
        return draw::Layout::circle;
    }
    if (name == "graph") {
        return draw::Layout::graph;
    }
    throw UsageError(fmt::format("--layout: \"{}\" is none of rows, circle, graph", name));
}

std::string expression(const schedule::Schedule& schedule, int rank) {
    const int block = schedule.blocks() == schedule.ranks() ? rank : 0;
    try {
        return verify::expression(schedule, rank, block) + "\n";
    } catch (const std::invalid_argument& error) {
        throw UsageError(fmt::format("--expression: {}", error.what()));
    }
}

struct Format {
    std::string_view name;
    std::string_view extension;
};

/// Graphviz has two extensions.
constexpr std::array formats{Format{"svg", ".svg"}, Format{"dot", ".dot"}, Format{"dot", ".gv"},
                             Format{"text", ".txt"}};

/// The one that is asked for, or that the name of the file says, which must be the same.
std::string format_of(const DrawArguments& arguments) {
    if (!arguments.format.empty()) {
        check_known("--format", arguments.format, std::array<std::string, 3>{"svg", "dot", "text"});
    }
    const std::string extension = std::filesystem::path(arguments.output).extension();
    if (extension.empty()) {
        return arguments.format.empty() ? "svg" : arguments.format;
    }
    const auto said = std::ranges::find(formats, extension, &Format::extension);
    if (said == formats.end()) {
        throw UsageError(
            fmt::format("--output: {} is not a format that tutti draws in; there are svg (.svg), dot "
                        "for Graphviz (.dot, .gv) and text (.txt)",
                        extension));
    }
    if (!arguments.format.empty() && arguments.format != said->name) {
        throw UsageError(fmt::format("--output: {} is for {}, but --format says {}", extension, said->name,
                                     arguments.format));
    }
    return std::string(said->name);
}

std::string drawing(const DrawArguments& arguments, const std::string& format,
                    const schedule::Schedule& schedule) {
    if (arguments.expression) {
        return expression(schedule, *arguments.expression);
    }
    if (format == "svg") {
        return draw::svg(schedule, layout_called(arguments.layout));
    }
    return format == "dot" ? draw::dot(schedule) : draw::text(schedule);
}

} // namespace

int run_draw(const DrawArguments& arguments) {
    const Algorithm& row = chosen_row(arguments);
    const std::string format = arguments.expression ? "text" : format_of(arguments);
    check_numbers(arguments, format, row);
    const std::string text = drawing(arguments, format, row.make(arguments.ranks, arguments.root));
    write_output(arguments.output, text);
    return exit_fine;
}

} // namespace tutti::bench
