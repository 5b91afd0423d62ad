#include "model/candidates.hpp"

#include "algorithm/registry.hpp"

namespace tutti::laboratory {

int root_of_candidates(Collective collective, int members) {
    return collective == Collective::shift && members > 1 ? 1 : 0;
}

std::vector<Candidate> candidates(Collective collective, const graph::LevelTree& tree) {
    const int members = tree.ranks();
    const int root = root_of_candidates(collective, members);
    std::vector<Candidate> all;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (row.collective == collective && takes(row, members)) {
            all.push_back(
                {std::string(row.name), row.protocols, [=, &row] { return make(row, tree, root); }});
        }
    }
    return all;
}

} // namespace tutti::laboratory
