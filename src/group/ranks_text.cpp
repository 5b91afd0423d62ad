#include "group/ranks_text.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::engine {

std::string text_of_ranks(std::vector<int> ranks, const std::string& one, const std::string& all) {
    constexpr int most_runs = 8;
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    std::string text = (ranks.size() == 1 ? one : all) + " ";
    int runs = 0;
    for (std::size_t first = 0; first < ranks.size(); ++runs) {
        if (runs == most_runs) {
            return text + " and " + std::to_string(ranks.size() - first) + " more";
        }
        std::size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) {
            ++last;
        }
        last = last == first + 1 ? first : last; // two are not worth a dash
        text += (runs == 0 ? "" : ", ") + std::to_string(ranks[first]);
        text += last == first ? "" : "-" + std::to_string(ranks[last]);
        first = last + 1;
    }
    return text;
}

} // namespace tutti::engine
