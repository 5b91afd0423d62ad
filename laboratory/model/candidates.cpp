#include "model/candidates.hpp"

namespace tutti::laboratory {

std::vector<Candidate> candidates(Collective collective, const graph::LevelTree& tree) {
    const int members = tree.ranks();
    const int root = detail::traits_of(collective).example_number(members);
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
