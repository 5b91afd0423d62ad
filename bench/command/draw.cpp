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

#include <array>
#include <stdexcept>

namespace tutti::bench {

namespace {

using algorithm::Algorithm;

constexpr int most_drawn_ranks = 64;

const Algorithm& chosen_row(const DrawArguments& arguments) {
    const schedule::Collective collective = collective_named(arguments.collective);
    check_known("--algorithm", arguments.algorithm, algorithm_names(std::array{collective}));
    return *algorithm::find(collective, arguments.algorithm);
}

void check_numbers(const DrawArguments& arguments, const Algorithm& row) {
    const int most = arguments.format == "svg" && !arguments.expression ? most_drawn_ranks : most_ranks;
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

std::string drawing(const DrawArguments& arguments, const schedule::Schedule& schedule) {
    if (arguments.expression) {
        return expression(schedule, *arguments.expression);
    }
    if (arguments.format == "svg") {
        return draw::svg(schedule, layout_called(arguments.layout));
    }
    if (arguments.format == "dot") {
        return draw::dot(schedule);
    }
    if (arguments.format == "text") {
        return draw::text(schedule);
    }
    throw UsageError(fmt::format("--format: \"{}\" is none of svg, dot, text", arguments.format));
}

} // namespace

int run_draw(const DrawArguments& arguments) {
    const Algorithm& row = chosen_row(arguments);
    check_numbers(arguments, row);
    const std::string text = drawing(arguments, row.make(arguments.ranks, arguments.root));
    write_output(arguments.output, text);
    return exit_fine;
}

} // namespace tutti::bench
