#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

/// `tutti draw`: the rounds of one schedule, or a machine and the places of members on it, as SVG or
/// text. Returns the exit code. Throws UsageError, and EnvironmentUnfit when the output cannot be written.
int run_draw(const DrawArguments& arguments);

/// The arguments of `tutti verify`, as typed.
struct VerifyArguments {
    std::string ranks = "1:256";
    /// Empty: all.
    std::string collective;
    std::string algorithm;
    bool quiet = false;
};

/// `tutti verify`: proves every requested algorithm of the registry, in every protocol, for every number of
/// ranks that it serves and all roots (of more than 128 ranks some), and holds its counts against the closed
/// forms. Returns the exit code. Throws UsageError.
int run_verify(const VerifyArguments& arguments);

/// The arguments of `tutti measure`, as typed.
struct MeasureArguments {
    std::string output = "tutti-lines.json";
    double seconds = 60;
    bool quiet = false;
};

/// `tutti measure`: measures what this machine's lines, caches and links cost, writes that to a file, and
/// prints it with its differences from hwloc. Returns the exit code. Throws UsageError, EnvironmentUnfit.
int run_measure(const MeasureArguments& arguments);

/// The arguments of `tutti model`, as typed.
struct ModelArguments {
    /// rabenseifner-traff-2004, traff-2023 or traff-2024; empty: predictions for the registry.
    std::string table;
    /// Empty: the default that the help of --members describes.
    std::optional<int> members;
    /// Empty: all.
    std::string collective;
    std::string bytes = "1M";
    /// Microseconds a message, nanoseconds a byte moved and a byte combined.
    double alpha_us = 1;
    double beta_ns = 0.1;
    double gamma_ns = 0.05;

    /// Prints the traffic over the levels of a machine instead: the collective, and the children of a group
    /// in each level, outermost first, which make as many members as there are.
    std::string traffic;
    std::vector<int> levels;
    /// Prints the time of each algorithm instead, for all listed bytes: the collective, and names of
    /// algorithms, none or "all" for all.
    std::string predict;
    std::vector<std::string> algorithms;
    /// A file of `tutti bench --json`, which they are compared with instead.
    std::string measured;
    /// The machine of both, by its name or as a file, on which members are placed compactly.
    std::string machine;

    /// Prints src/library/choose/level_choices.cpp instead.
    bool level_choices = false;

    static constexpr int default_ranks = 22;
};

/// `tutti model`: what the schedules cost in the linear model, what they have cross, what they take on a
/// machine, or a paper's table computed from them beside
/// what the paper prints. Returns the exit code. Throws UsageError.
int run_model(const ModelArguments& arguments);

/// The call of which `tutti info --why` explains the choice of an algorithm, as typed.
struct ChoiceArguments {
    /// Empty: no choice is explained.
    std::string collective;
    int members = 2;
    std::string bytes = "64K";
    std::string type = "f64";
    std::string op = "sum";
    bool in_place = false;
    bool shared = false;
    std::string placement = "compact";
    /// A published profile, or a file of one: the choice on that machine. Empty: on this one.
    std::string machine;
};

/// Which algorithm a team would choose for the call, by which rule or entry of a table, and of every
/// algorithm of the collective whether it could be chosen, its protocol, its rounds and what the table has
/// measured, in lines of `width` columns. Throws UsageError.
std::string explain_choice(const ChoiceArguments& arguments, std::size_t width);

} // namespace tutti::laboratory
