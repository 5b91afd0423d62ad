#pragma once

#include <tutti/detail/kernels.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::detail {

enum class Kind : std::uint8_t { barrier, allreduce, reduce_scatter, allgather };

/// One collective call of one member, with the element type and the operator reduced to what a compiled
/// library can work with.
struct Call {
    Kind kind = Kind::barrier;
    Type type = Type::other;
    Operator op = Operator::callable;
    /// The caller gave one vector, which is input and output.
    bool in_place = false;
    const void* input = nullptr;
    void* output = nullptr;
    /// Elements at `input` and `output`. In place, both are those of the one vector.
    std::size_t input_count = 0;
    std::size_t output_count = 0;
    std::size_t element_bytes = 1;
    /// The loops of an operator that is not the library's own; null: the compiled kernels of `type` and `op`.
    const Kernels* kernels = nullptr;
    const void* state = nullptr;
    /// Irregular blocks: elements of each member's block; empty for equal blocks.
    std::span<const std::size_t> counts = {};
    std::string_view algorithm = {};
};

/// Everything about a call but its addresses, in one word, or 0 where that is not possible: for user types
/// and operators, named algorithms, irregular blocks and very long vectors.
inline std::uint64_t key_of(const Call& call) {
    constexpr std::uint64_t most_elements = (std::uint64_t{1} << 25U) - 1;
    if (call.kernels != nullptr || call.type == Type::other || !call.algorithm.empty() ||
        !call.counts.empty() || call.input_count > most_elements || call.output_count > most_elements) {
        return 0;
    }
    constexpr std::uint64_t present = 1;
    return present | static_cast<std::uint64_t>(call.kind) << 1U |
           static_cast<std::uint64_t>(call.type) << 3U | static_cast<std::uint64_t>(call.op) << 7U |
           static_cast<std::uint64_t>(call.in_place) << 11U | call.input_count << 14U |
           call.output_count << 39U;
}

class Seat;

/// Runs `call` on the calling thread as the member that holds `seat`.
void execute(Seat& seat, const Call& call);

/// Runs the call that `seat` ran last once more, with other addresses, if `key` says that it is the same and
/// they alias in the same way. Else does nothing and returns false. What makes a small call cheap.
bool execute_again(Seat& seat, std::uint64_t key, const void* input, void* output);

} // namespace tutti::detail
