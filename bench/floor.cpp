#include "floor.hpp"

#include <tutti/detail/kernels.hpp>

#include <algorithm>

namespace tutti::bench {

namespace {

constexpr std::size_t stream_from_bytes = std::size_t{1} << 20;

/// One sweep over memory: everything that is read from `ins` goes to all `outs`.
struct Pass {
    std::vector<const void*> ins;
    std::vector<void*> outs;
    std::size_t elements = 0;
};

struct Block {
    std::size_t offset_bytes;
    std::size_t elements;
};

/// Blocks of equal length, rounded up; the last ones are shorter or empty.
Block block_of(const Work& work, std::size_t member) {
    const auto members = static_cast<std::size_t>(work.members);
    const std::size_t block = (work.elements + members - 1) / members;
    const std::size_t first = std::min(member * block, work.elements);
    return {first * work.element_bytes(), std::min(block, work.elements - first)};
}

/// A reduction: the member's block of all inputs, to its own output or to all.
Pass reduction(const Work& work, std::size_t own, const std::vector<std::byte*>& inputs,
               const std::vector<std::byte*>& outputs) {
    const Block block = block_of(work, own);
    Pass pass{.ins = {}, .outs = {}, .elements = block.elements};
    for (const std::byte* input : inputs) {
        pass.ins.push_back(input + block.offset_bytes);
    }
    if (work.collective == Collective::reduce_scatter) {
        pass.outs.push_back(outputs[own] + (work.in_place ? block.offset_bytes : 0));
        return pass;
    }
    for (std::byte* output : outputs) {
        pass.outs.push_back(output + block.offset_bytes);
    }
    return pass;
}

/// An allgather in which the member stores its block to all outputs.
std::vector<Pass> pushed(const Work& work, std::size_t own, const std::vector<std::byte*>& inputs,
                         const std::vector<std::byte*>& outputs) {
    const Block block = block_of(work, own);
    Pass pass{.ins = {inputs[own] + (work.in_place ? block.offset_bytes : 0)},
              .outs = {},
              .elements = block.elements};
    for (std::byte* output : outputs) {
        pass.outs.push_back(output + block.offset_bytes);
    }
    return {pass};
}

/// An allgather in which the member copies all blocks to its own output.
std::vector<Pass> pulled(const Work& work, std::size_t own, const std::vector<std::byte*>& inputs,
                         const std::vector<std::byte*>& outputs) {
    std::vector<Pass> passes;
    for (std::size_t step = 0; step < inputs.size(); ++step) {
        const std::size_t member = (own + step) % inputs.size();
        const Block block = block_of(work, member);
        passes.push_back({.ins = {inputs[member] + (work.in_place ? block.offset_bytes : 0)},
                          .outs = {outputs[own] + block.offset_bytes},
                          .elements = block.elements});
    }
    if (work.in_place) {
        passes.erase(passes.begin());
    }
    return passes;
}

} // namespace

std::vector<std::function<void(std::size_t calls)>> floors(const Work& work, int rank,
                                                           const std::vector<std::byte*>& inputs,
                                                           const std::vector<std::byte*>& outputs) {
    std::vector<std::function<void(std::size_t)>> ways;
    if (work.collective == Collective::barrier) {
        return ways;
    }
    const auto own = static_cast<std::size_t>(rank);
    for (const bool stream : {false, true}) {
        if (stream && work.bytes() < stream_from_bytes) {
            continue;
        }
        if (work.reduces()) {
            const detail::Kernels& kernels = detail::builtin(work.type, work.op);
            ways.emplace_back(
                [pass = reduction(work, own, inputs, outputs), stream, &kernels](std::size_t calls) {
                    for (std::size_t call = 0; call < calls; ++call) {
                        kernels.reduce_many(nullptr, pass.outs.data(), static_cast<int>(pass.outs.size()),
                                            pass.ins.data(), static_cast<int>(pass.ins.size()), pass.elements,
                                            stream);
                    }
                });
            continue;
        }
        for (const auto& make : {pushed, pulled}) {
            ways.emplace_back([passes = make(work, own, inputs, outputs), stream,
                               element_bytes = work.element_bytes()](std::size_t calls) {
                for (std::size_t call = 0; call < calls; ++call) {
                    for (const Pass& pass : passes) {
                        detail::copy_many(pass.outs.data(), static_cast<int>(pass.outs.size()),
                                          pass.ins.front(), pass.elements * element_bytes, stream);
                    }
                }
            });
        }
    }
    return ways;
}

} // namespace tutti::bench
