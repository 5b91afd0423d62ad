#pragma once

#include <string>
#include <vector>

namespace tutti::laboratory {

/// The arguments of `tutti verify`, as typed.
struct VerifyArguments {
    std::string ranks = "1:256";
    /// Empty: all.
    std::string collective;
    std::string algorithm;
    /// "22:21": instead of verifying, print the expression that member 21 of 22 computes.
    std::string expression;
    bool quiet = false;
};

/// `tutti verify`: proves every requested algorithm of the registry, in every protocol, for every number of
/// ranks that it serves and all roots (of more than 128 ranks some), and holds its counts against the closed
/// forms. Returns the exit code. Throws UsageError.
int run_verify(const VerifyArguments& arguments);

} // namespace tutti::laboratory
