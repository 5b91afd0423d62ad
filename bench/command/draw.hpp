#pragma once

#include <optional>
#include <string>

namespace tutti::bench {

/// What `tutti draw` is to draw, as typed.
struct DrawArguments {
    std::string collective;
    std::string algorithm;
    int ranks = 8;
    /// The root; the distance of a shift.
    int root = 0;
    /// Empty: what the output's extension says, svg without one.
    std::string format;
    std::string layout = "rows";
    std::string output = "-";
    /// Instead of the rounds: what this member computes, as an expression.
    std::optional<int> expression;
};

/// `tutti draw`: the rounds of one schedule as SVG, Graphviz or text. Returns the exit code. Throws
/// UsageError, and EnvironmentUnfit when the output cannot be written.
int run_draw(const DrawArguments& arguments);

} // namespace tutti::bench
