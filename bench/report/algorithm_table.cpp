#include "algorithm/registry.hpp"
#include "report/bench_report.hpp"
#include "terminal/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tutti::bench {

namespace {

using algorithm::Algorithm;
using algorithm::Bound;

constexpr int sample_ranks = 22;
constexpr int sample_power = 16;

enum Column : std::size_t {
    collective,
    name,
    ranks,
    order,
    operator_needs,
    protocols,
    vector,
    rounds,
    blocks,
    reductions,
    scratch,
    source,
    column_count
};

using Cells = std::array<std::string, column_count>;

Cells headings() {
    return {"collective", "algorithm", "ranks",  "order",      "operator", "forms",
            "vector",     "rounds",    "blocks", "reductions", "scratch",  "source"};
}

bool is_number(std::size_t column) {
    return column >= vector && column <= scratch;
}

std::string forms_text(const Algorithm& row) {
    std::string text;
    const auto add = [&](bool holds, const char* protocol) {
        if (holds) {
            text += (text.empty() ? "" : ", ") + std::string(protocol);
        }
    };
    add(row.protocols.pulled, "pulled");
    add(row.protocols.in_place, "in place");
    add(row.protocols.eager, "carried");
    add(row.protocols.one_hop, "irregular");
    add(row.protocols.shared, "shared");
    return text;
}

std::string count_text(long count, bool at_most) {
    return fmt::format("{}{}", at_most && count > 0 ? "<= " : "", count);
}

/// Counts at the sample, from the closed forms, for root 0 or distance 1.
Cells cells(const Algorithm& row) {
    const bool has_order = row.order != algorithm::Order::none;
    const int sample = row.ranks == algorithm::Ranks::any ? sample_ranks : sample_power;
    const int number = detail::traits_of(row.collective).example_number(sample);
    const algorithm::CostTerms terms = row.cost(sample, number);
    return {std::string(to_string(row.collective)),
            std::string(row.name),
            row.ranks == algorithm::Ranks::any ? "any" : "2^k",
            has_order ? std::string(to_string(row.order)) : "-",
            has_order ? std::string(needs(row.order)) : "-",
            forms_text(row),
            std::to_string(row.make(sample, number).blocks()),
            count_text(terms.rounds, row.bound >= Bound::all),
            count_text(terms.blocks, row.bound >= Bound::volume),
            count_text(terms.reductions, row.bound >= Bound::reductions),
            count_text(row.scratch(sample, number), false),
            std::string(row.source)};
}

std::vector<Cells> all_rows() {
    std::vector<Cells> rows;
    for (const Algorithm& row : algorithm::registry()) {
        rows.push_back(cells(row));
    }
    return rows;
}

std::string legend() {
    return fmt::format(
        "Vector: the blocks of a buffer. Rounds, blocks received, blocks combined (reductions) and blocks of "
        "scratch are those of the member with the most, at {} ranks ({} if only powers of two are served), "
        "root 0, distance 1. Order: serial = rank order from the left, canonical = rank order as a butterfly "
        "combines, asked = one of these two, all operands at once, rank = rank order, canonical for powers "
        "of two, same = one order for all, any = members differ. Forms: irregular = blocks of which only "
        "their senders and receivers know, as in an all-to-all with counts or with displacements; shared = "
        "into one vector for all members. The numbers of levels-... are for one group of all ranks; they run "
        "on the levels on which a group's members are.",
        sample_ranks, sample_power);
}

std::string markdown_line(const Cells& row) {
    return fmt::format("| {} |\n", fmt::join(row, " | "));
}

} // namespace

std::string algorithm_table(std::size_t width) {
    constexpr std::array<int, column_count> ranks{0, 0, 1, 4, 6, 8, 7, 2, 3, 5, 9, 10};
    const Cells names = headings();
    std::vector<Table::Column> columns;
    for (std::size_t column = 0; column < column_count; ++column) {
        columns.push_back({names[column], ranks[column], !is_number(column)});
    }
    Table table(std::move(columns));
    for (const Cells& row : all_rows()) {
        table.add({row.begin(), row.end()});
    }
    return table.text(width) + wrapped(legend() + "\n", std::min(width, widest_prose));
}

std::string algorithm_markdown() {
    std::string text = markdown_line(headings());
    for (std::size_t column = 0; column < column_count; ++column) {
        text += is_number(column) ? "|---:" : "|---";
    }
    text += "|\n";
    for (Cells row : all_rows()) {
        row[name] = "`" + row[name] + "`";
        text += markdown_line(row);
    }
    return text + "\n" + legend() + "\n";
}

std::string algorithm_names_markdown() {
    std::string text = "| collective | algorithms (\\*: for powers of two only) |\n|---|---|\n";
    const Algorithm* before = nullptr;
    for (const Algorithm& row : algorithm::registry()) {
        const bool continues = before != nullptr && before->collective == row.collective;
        if (!continues) {
            text += fmt::format("{}| {} | ", before == nullptr ? "" : " |\n", to_string(row.collective));
        }
        text += fmt::format("{}`{}`{}", continues ? " " : "", row.name,
                            row.ranks == algorithm::Ranks::any ? "" : "\\*");
        before = &row;
    }
    return text + " |\n";
}

} // namespace tutti::bench
