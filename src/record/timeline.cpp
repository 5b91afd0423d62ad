#include "record/timeline.hpp"

#include <algorithm>

namespace tutti::trace {

std::vector<std::vector<Span>> rows_of(const std::vector<Span>& spans) {
    std::vector<std::vector<Span>> rows;
    for (const Span& span : spans) {
        const auto free = std::ranges::find_if(
            rows, [&](const std::vector<Span>& row) { return row.back().end_ns <= span.begin_ns; });
        if (free == rows.end()) {
            rows.push_back({span});
        } else {
            free->push_back(span);
        }
    }
    return rows;
}

} // namespace tutti::trace
