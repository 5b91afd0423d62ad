#include "model/candidates.hpp"

#include "algorithm/levels.hpp"

#include <fmt/format.h>

namespace tutti::bench {

int root_of_candidates(schedule::Collective collective, int members) {
    return collective == schedule::Collective::shift && members > 1 ? 1 : 0;
}

std::vector<Candidate> candidates(schedule::Collective collective, const graph::LevelTree& tree) {
    const int members = tree.ranks();
    const int root = root_of_candidates(collective, members);
    std::vector<Candidate> all;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (row.collective == collective && takes(row, members)) {
            all.push_back({std::string(row.name), row.forms, [=, &row] { return row.make(members, root); }});
        }
    }
    for (const algorithm::Acting acting : algorithm::all_ways_of_acting) {
        if (takes(acting, collective, tree)) {
            all.push_back({fmt::format("levels, {}", to_string(acting)), forms_of(acting, collective, tree),
                           [=] { return levels(collective, tree, acting, root); }});
        }
    }
    return all;
}

} // namespace tutti::bench
