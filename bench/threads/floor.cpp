#include "threads/floor.hpp"

#include <tutti/detail/kernels.hpp>

namespace tutti::bench {

namespace {

constexpr std::size_t stream_from_bytes = std::size_t{4} << 10;

void carry_out(const Pass& pass, const detail::Kernels* kernels, std::size_t element_bytes,
               detail::Stores stores) {
    const auto outs = static_cast<int>(pass.outs.size());
    const auto ins = static_cast<int>(pass.ins.size());
    switch (pass.kind) {
    case Pass::Kind::copy:
        detail::copy_many(pass.outs.data(), outs, pass.ins.front(), pass.elements * element_bytes, stores);
        return;
    case Pass::Kind::reduce:
        kernels->reduce_many(nullptr, pass.outs.data(), outs, pass.ins.data(), ins, pass.elements, stores);
        return;
    case Pass::Kind::scan:
    case Pass::Kind::exscan:
        kernels->scan_many(nullptr, pass.outs.data(), pass.ins.data(), ins, pass.elements,
                           pass.kind == Pass::Kind::exscan, stores);
        return;
    }
}

} // namespace

std::vector<std::function<void(std::size_t calls)>> floors(const Problem& problem, int rank,
                                                           const Vectors& vectors) {
    std::vector<std::function<void(std::size_t)>> ways;
    if (!has_passes(problem)) {
        return ways;
    }
    const detail::Kernels* const kernels =
        problem.reduces() ? &detail::builtin(problem.type, problem.op) : nullptr;
    const bool may_stream = problem.bytes() >= stream_from_bytes;
    for (const detail::Stores stores : {detail::Stores{}, detail::Stores{.stream = true},
                                        detail::Stores{.stream = true, .cached_out = rank}}) {
        for (const Direction direction : {Direction::push, Direction::pull}) {
            if ((stores.stream && !may_stream) ||
                (direction == Direction::push && !has_directions(problem))) {
                continue;
            }
            ways.emplace_back([passes = passes_of(problem, rank, vectors, direction), kernels,
                               element_bytes = problem.element_bytes(), stores](std::size_t calls) {
                for (std::size_t call = 0; call < calls; ++call) {
                    for (const Pass& pass : passes) {
                        carry_out(pass, kernels, element_bytes, stores);
                    }
                }
            });
        }
    }
    return ways;
}

} // namespace tutti::bench
