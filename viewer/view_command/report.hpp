#pragma once

#include <string>
#include <vector>

namespace tutti::viewer {

/// The options of `tutti report` as they are typed.
struct ReportArguments {
    std::vector<std::string> files;
    std::string output = "report.html";
};

/// `tutti report`: one HTML file on what `tutti bench --json` and `tutti measure` have written. Prints what
/// stands out. Returns the exit code. Throws UsageError if a file is neither.
int run_report(const ReportArguments& arguments);

} // namespace tutti::viewer
