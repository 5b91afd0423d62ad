#include "tasks/src/small.hpp"

#include <tutti/detail/kernels.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tutti::tasks {

namespace {

/// The size of all vectors together up to which they fit into a cache, so that nothing is stored past it.
constexpr std::size_t most_small_bytes = std::size_t{256} << 10U;

std::uintptr_t address(const void* vector) {
    return reinterpret_cast<std::uintptr_t>(vector);
}

/// Whether the outputs lie one behind the other, and all inputs elsewhere or where the outputs are, as
/// vectors do that were made in their order. Sees it without comparing each with each.
bool are_in_order(const Operands& operands, bool one_output, std::size_t bytes) {
    const auto& [inputs, outputs, ranks] = operands;
    std::uintptr_t lowest = ~std::uintptr_t{0};
    std::uintptr_t highest = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        lowest = std::min(lowest, address(inputs[rank]));
        highest = std::max(highest, address(inputs[rank]));
    }
    std::uintptr_t end = 1; // null is before
    bool ascend = true;
    bool are_same = !one_output;
    for (std::size_t rank = 0; rank < (one_output ? 1 : ranks); ++rank) {
        const std::uintptr_t output = address(outputs[rank]);
        ascend = ascend & (output >= end);
        are_same = are_same & (outputs[rank] == inputs[rank]);
        end = output + bytes;
    }
    return ascend && lowest != 0 && (are_same || address(outputs[0]) >= highest + bytes || lowest >= end);
}

/// Whether all are there, and none of the first `outputs` outputs overlaps anything but, exactly, the input
/// of its rank.
bool are_apart(const Operands& operands, bool one_output, std::size_t bytes) {
    if (bytes == 0) {
        return false; // which may be null
    }
    if (are_in_order(operands, one_output, bytes)) {
        return true;
    }
    const std::size_t outputs = one_output ? 1 : operands.ranks;
    const auto apart = [bytes](const void* one, const void* other) {
        return address(one) - address(other) + bytes - 1 >= 2 * bytes - 1;
    };
    for (std::size_t rank = 0; rank < operands.ranks; ++rank) {
        const void* const input = operands.inputs[rank];
        bool is_apart = input != nullptr;
        for (std::size_t other = 0; other < outputs; ++other) {
            const void* const output = operands.outputs[other];
            is_apart = is_apart && output != nullptr &&
                       (apart(output, input) || (!one_output && rank == other && output == input)) &&
                       (other <= rank || rank >= outputs || apart(output, operands.outputs[rank]));
        }
        if (!is_apart) {
            return false;
        }
    }
    return true;
}

} // namespace

bool execute_small(std::uint64_t key, detail::Builtin builtin, const Operands& operands) {
    const detail::Call call = detail::call_of(key);
    if (call.collective == Collective::barrier) {
        return true;
    }
    const auto& [inputs, outputs, all] = operands;
    const auto ranks = static_cast<int>(all);
    const bool one_output = call.collective == Collective::reduce;
    const std::size_t bytes = call.output_count * detail::bytes_of(call.type);
    if (call.input_count != call.output_count || 2 * all * bytes >= most_small_bytes || call.root >= ranks ||
        !are_apart(operands, one_output, bytes)) {
        return false;
    }
    switch (call.collective) {
    case Collective::broadcast:
        for (int rank = 0; rank < ranks; ++rank) {
            if (rank != call.root) {
                std::memcpy(outputs[rank], inputs[call.root], bytes);
            }
        }
        return true;
    case Collective::reduce:
    case Collective::allreduce:
        builtin(call.op).reduce_many(nullptr, outputs, one_output ? 1 : ranks, inputs, ranks,
                                     call.output_count, detail::Association::tree, {});
        return true;
    case Collective::scan:
    case Collective::exscan:
        builtin(call.op).scan_many(nullptr, outputs, inputs, ranks, call.output_count,
                                   call.collective == Collective::exscan, detail::Association::tree, {});
        return true;
    default:
        return false;
    }
}

} // namespace tutti::tasks
