#pragma once

#include "algorithm/registry.hpp"
#include "graph/level_tree.hpp"
#include "schedule/schedule.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tutti::laboratory {

/// One way to carry out a collective among the members of a machine.
struct Candidate {
    std::string name;
    algorithm::Protocols protocols;
    std::function<schedule::Schedule()> make;
};

/// The rows of the registry that serve so many members, as groups of such a tree run them. Their
/// root or distance is the example of the table of collectives.
std::vector<Candidate> candidates(Collective collective, const graph::LevelTree& tree);

} // namespace tutti::laboratory
