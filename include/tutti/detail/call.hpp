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
    const Kernels* kernels = nullptr;
    const void* state = nullptr;
    /// Irregular blocks: elements of each member's block; empty for equal blocks.
    std::span<const std::size_t> counts = {};
    std::string_view algorithm = {};
};

class Seat;

/// Runs `call` on the calling thread as the member that holds `seat`.
void execute(Seat& seat, const Call& call);

} // namespace tutti::detail
