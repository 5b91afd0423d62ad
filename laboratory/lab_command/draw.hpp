#pragma once

#include <optional>
#include <string>

namespace tutti::laboratory {

/// The arguments of `tutti draw`, as typed.
struct DrawArguments {
    /// Empty: the machine.
    std::string collective;
    std::string algorithm;
    /// A machine, by its name or as a file, on which members are placed.
    std::optional<std::string> machine;
    std::string placement = "compact";
    /// Nothing: as many as the machine has CPUs, 8 without a machine.
    std::optional<int> ranks;
    /// The root; the distance of a shift.
    int root = 0;
    /// Empty: the output's extension, svg without one.
    std::string format;
    /// Nothing: default_layout.
    std::optional<std::string> layout;
    std::string output = "-";
    /// Instead of the rounds: what this member computes, as an expression.
    std::optional<int> expression;

    static constexpr const char* default_layout = "rows";
};

/// `tutti draw`: the rounds of one schedule, or a machine and the places of members on it, as SVG, Graphviz
/// or text. Returns the exit code. Throws UsageError, and EnvironmentUnfit when the output cannot be written.
int run_draw(const DrawArguments& arguments);

} // namespace tutti::laboratory
