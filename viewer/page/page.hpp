#pragma once

#include "distance/line_profile.hpp"
#include "report/results_file.hpp"
#include "survey/profile_json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tutti::viewer {

/// The content of one file, and its name.
struct NamedResults {
    std::string name;
    bench::Results results;
};

struct NamedProfile {
    std::string name;
    distance::MachineModel profile;
    std::optional<laboratory::Pairs> pairs;
};

/// The subjects of a report. The first results are the base of the comparisons.
struct Subjects {
    std::vector<NamedResults> results;
    std::vector<NamedProfile> profiles;
};

/// The report: an HTML file that needs no other. Texts of the subjects may have any characters.
std::string page_text(const Subjects& subjects);

/// The sentences that stand at the top of it, a line each.
std::string findings_text(const Subjects& subjects);

} // namespace tutti::viewer
