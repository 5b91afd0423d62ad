#pragma once

#include <string>

namespace tutti::bench {

/// The arguments of `tutti compare`, as typed.
struct CompareArguments {
    std::string before;
    std::string after;
    /// Percent.
    double effect = 10;
    double significance = 0.001;
    std::string provider = "tutti";
};

/// `tutti compare`: judges each point that both files have, prints those that differ and how many do not.
/// Returns exit_regression when one is slower. Throws UsageError when there is nothing to compare.
int run_compare(const CompareArguments& arguments);

} // namespace tutti::bench
