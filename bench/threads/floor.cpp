#include "threads/floor.hpp"

namespace tutti::bench {

namespace {

constexpr std::size_t stream_from_bytes = std::size_t{4} << 10;

} // namespace

Calls in_passes(const Problem& problem, int rank, const pass::Vectors& vectors, pass::Direction direction,
                detail::StoreHints stores) {
    const pass::Layout layout = layout_of(problem);
    const pass::Elements elements{.bytes = problem.element_bytes(),
                                  .kernels = problem.reduces() ? &detail::builtin_of(problem.type)(problem.op)
                                                               : nullptr,
                                  .stores = stores};
    return repeated([passes = pass::passes_of(layout, rank, vectors, direction), elements] {
        for (const pass::Pass& each : passes) {
            pass::execute(each, elements);
        }
    });
}

std::vector<Calls> floors(const Problem& problem, int rank, const pass::Vectors& vectors) {
    std::vector<Calls> ways;
    const pass::Layout layout = layout_of(problem);
    if (!pass::has_passes(layout)) {
        return ways;
    }
    const bool may_stream = problem.bytes() >= stream_from_bytes;
    for (const detail::StoreHints stores :
         {detail::StoreHints{}, detail::StoreHints{.cached_out = rank, .move = true},
          detail::StoreHints{.stream = true}, detail::StoreHints{.stream = true, .cached_out = rank}}) {
        for (const pass::Direction direction : {pass::Direction::push, pass::Direction::pull}) {
            if ((stores.stream && !may_stream) ||
                (direction == pass::Direction::push && !pass::has_directions(layout))) {
                continue;
            }
            ways.push_back(in_passes(problem, rank, vectors, direction, stores));
        }
    }
    return ways;
}

} // namespace tutti::bench
