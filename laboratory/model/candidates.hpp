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

/// The rows of the registry that serve so many members, as groups of such a tree run them. Rooted at member
/// 0, shifted by 1.
std::vector<Candidate> candidates(Collective collective, const graph::LevelTree& tree);

/// The root or distance that they have.
int root_of_candidates(Collective collective, int members);

} // namespace tutti::laboratory
