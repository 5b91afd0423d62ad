#pragma once

#include "schedule/schedule.hpp"

#include <string>
#include <string_view>

namespace tutti::draw {

/// The rounds as a directed graph for Graphviz: a cluster for each round, or for each of its two panels,
/// solid edges where the receiver combines, dashed ones where it stores. Draw with `dot -Tsvg`.
std::string dot(const schedule::Schedule& schedule, std::string_view algorithm);

} // namespace tutti::draw
