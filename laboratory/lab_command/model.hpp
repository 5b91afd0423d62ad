#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::laboratory {

/// The arguments of `tutti model`, as typed.
struct ModelArguments {
    /// rabenseifner-traff-2004, traff-2023 or traff-2024; empty: predictions for the registry.
    std::string table;
    /// The members of a schedule or, with --cluster, of each node. Empty: default_members().
    std::optional<int> members;
    /// Empty: all.
    std::string collective;
    std::string bytes = "1M";
    /// Microseconds a message, nanoseconds a byte moved and a byte combined.
    double alpha_us = 1;
    double beta_ns = 0.1;
    double gamma_ns = 0.05;

    /// A cluster of nodes instead: an allreduce by each way, up to so many nodes, with threads and lanes in
    /// each, microseconds an exchange inside a node and nanoseconds a byte there.
    bool cluster = false;
    int nodes = 4096;
    int lanes = 2;
    double local_alpha_us = 0.2;
    double local_beta_ns = 0.1;

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

    /// Prints src/choose/level_choices.cpp instead.
    bool level_choices = false;

    static constexpr int default_ranks = 22;
    static constexpr int default_threads = 8;
};

/// `tutti model`: what the schedules cost in the linear model, what they have cross, what they take on a
/// machine, or a paper's table computed from them beside
/// what the paper prints. Returns the exit code. Throws UsageError.
int run_model(const ModelArguments& arguments);

} // namespace tutti::laboratory
