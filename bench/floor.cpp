#include "floor.hpp"

#include <tutti/detail/kernels.hpp>

#include <algorithm>

namespace tutti::bench {

namespace {

constexpr std::size_t stream_from_bytes = std::size_t{1} << 20;

/// The vectors of one member's pass.
struct Pass {
    std::vector<const void*> ins;
    std::vector<void*> outs;
    std::size_t elements = 0;
};

Pass make_pass(const Work& work, int rank, const std::vector<std::byte*>& inputs,
               const std::vector<std::byte*>& outputs) {
    // Blocks of equal length, rounded up; the last ones are shorter or empty.
    const auto members = static_cast<std::size_t>(work.members);
    const auto own = static_cast<std::size_t>(rank);
    const std::size_t block = (work.elements + members - 1) / members;
    const std::size_t first = std::min(own * block, work.elements);
    const std::size_t offset = first * work.element_bytes();
    Pass pass{.ins = {}, .outs = {}, .elements = std::min(block, work.elements - first)};
    if (work.collective == Collective::allgather) {
        pass.ins.push_back(inputs[own] + (work.in_place ? offset : 0));
    } else {
        for (const std::byte* input : inputs) {
            pass.ins.push_back(input + offset);
        }
    }
    if (work.collective == Collective::reduce_scatter) {
        pass.outs.push_back(outputs[own] + (work.in_place ? offset : 0));
    } else {
        for (std::byte* output : outputs) {
            pass.outs.push_back(output + offset);
        }
    }
    return pass;
}

} // namespace

std::vector<std::function<void(std::size_t calls)>> floors(const Work& work, int rank,
                                                           const std::vector<std::byte*>& inputs,
                                                           const std::vector<std::byte*>& outputs) {
    std::vector<std::function<void(std::size_t)>> ways;
    if (work.collective == Collective::barrier) {
        return ways;
    }
    const Pass pass = make_pass(work, rank, inputs, outputs);
    for (const bool stream : {false, true}) {
        if (stream && work.bytes() < stream_from_bytes) {
            continue;
        }
        if (work.reduces()) {
            const detail::Kernels& kernels = detail::builtin(work.type, work.op);
            ways.emplace_back([pass, stream, &kernels](std::size_t calls) {
                for (std::size_t call = 0; call < calls; ++call) {
                    kernels.reduce_many(nullptr, pass.outs.data(), static_cast<int>(pass.outs.size()),
                                        pass.ins.data(), static_cast<int>(pass.ins.size()), pass.elements,
                                        stream);
                }
            });
        } else {
            ways.emplace_back(
                [pass, stream, bytes = pass.elements * work.element_bytes()](std::size_t calls) {
                    for (std::size_t call = 0; call < calls; ++call) {
                        detail::copy_many(pass.outs.data(), static_cast<int>(pass.outs.size()),
                                          pass.ins.front(), bytes, stream);
                    }
                });
        }
    }
    return ways;
}

} // namespace tutti::bench
