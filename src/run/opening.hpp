#pragma once

#include "run/bindings.hpp"
#include "run/prepared.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::run {

/// The differences that two members may find between their calls.
enum class Fault : std::uint8_t {
    calls,         ///< they make different ones
    shared_output, ///< the result that all members share is not the same memory
    both_write,    ///< they write to the same memory
    one_writes,    ///< one writes to memory that the other reads
    counts,        ///< one expects a block of another length than the other sends
    none
};

/// The fault, if any, of member `rank`, whose vectors are `own`, in sharing memory with a peer.
Fault fault_of_memory(const Prepared& prepared, const Bases& own, int rank, const Bases& theirs, int peer);

/// A block whose length differs between its sender and its receiver, in elements, with its numbers in the
/// lists of these.
struct DifferingBlock {
    std::size_t sent;
    std::size_t expected;
    std::size_t number_of_sender;
    std::size_t number_of_receiver;
};
/// The first from `peer`, whose vectors are `theirs`. \pre there is one.
DifferingBlock differing_block(const Prepared& prepared, const Bases& theirs, int peer);

} // namespace tutti::run
