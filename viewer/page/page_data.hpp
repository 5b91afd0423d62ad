#pragma once

#include "page/findings.hpp"
#include "page/page.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::viewer {

/// How many samples a page has at most, of all points together: more would make it larger than 2 MB. Points
/// have then every k-th of their samples.
inline constexpr std::size_t most_page_samples = 100'000;

/// All sentences of a report: those on the first results, and on how the others differ from them.
std::vector<Finding> all_findings(const Subjects& subjects);

/// The data that the page's scripts draw, in JSON that ends no element of HTML: no character of it is "<". An
/// object of
///
/// - version, columns of a CSV file, findings: [[tone, text]]
/// - files: name, schema, environment as in the file, facts: [[name, value]], fields and rows of the points,
///   drifts of their samples
/// - changes, for each file except the first: rows [index before, index after, change, p]
/// - profiles: name, title, topology, levels, cpus and one_way_ns in the machine's order, groups found in
/// them
std::string page_data(const Subjects& subjects);

} // namespace tutti::viewer
