#pragma once

#include "hybrid/wire.hpp"

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <vector>

namespace tutti::hybrid {

/// One collective among the processes. Vectors are whole, as in a schedule: block i is that of process i,
/// whichever blocks exist.
struct Carriage {
    detail::Kind kind = detail::Kind::barrier;
    std::byte* input = nullptr;
    std::byte* output = nullptr;
    /// Elements of the whole vector.
    std::size_t total = 0;
    /// Where the blocks of the processes start, in elements, and the end; for collectives that divide the
    /// vector by rank, else null.
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

/// Carries it by the MPI library's own collective, in its nonblocking form, so that a process that does not
/// come or that has failed ends the wait as everywhere. The library's operators serve where any order of
/// operands gives the same bits on all processes; else an MPI_Op is made of the kernels, and declared not to
/// commute. Throws what an operator throws. Throws ArgumentError for more than 2^31 - 1 elements, MPI's
/// limit.
void run_library(Wire& wire, const Carriage& carriage);

} // namespace tutti::hybrid
