#pragma once

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::hybrid {

/// One collective among the processes. Vectors are whole, as in a schedule: block i is that of process i,
/// whichever blocks exist.
struct ProcessCall {
    Collective collective = Collective::barrier;
    /// The choice of choose_algorithm().
    std::uint32_t algorithm = 0;
    std::byte* input = nullptr;
    std::byte* output = nullptr;
    /// Elements of the whole vector.
    std::size_t total = 0;
    /// The bytes of one member's whole vector, by which all processes decide alike how messages are cut. In
    /// an all-to-all, processes with different numbers of members have different totals.
    std::size_t member_bytes = 0;
    /// The starts of the processes' blocks, in elements, and the end; for collectives that divide the vector
    /// by rank, else null.
    const std::size_t* offsets = nullptr;
    /// The process that is the root.
    int root = 0;
    std::size_t element_bytes = 1;
    std::size_t element_align = 1;
    Type type = Type::other;
    Operator op = Operator::callable;
    const detail::Kernels* kernels = nullptr;
    const void* state = nullptr;
};

} // namespace tutti::hybrid
