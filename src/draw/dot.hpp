#pragma once

#include "schedule/schedule.hpp"

#include <string>

namespace tutti::draw {

/// The rounds as a directed graph for Graphviz: a cluster for each round, solid edges where the receiver
/// combines, dashed ones where it stores. Draw with `dot -Tsvg`.
std::string dot(const schedule::Schedule& schedule);

} // namespace tutti::draw
