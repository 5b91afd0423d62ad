#pragma once

#include "schedule/synchronise.hpp"
#include "tests/std.hpp"

namespace tutti::test {

/// The ways in which a schedule is broken.
enum class Fault {
    wait_dropped,
    wait_weakened,
    peer_shifted,
    blocks_shifted,
    blocks_shortened,
    blocks_lengthened,
    operands_swapped,
    move_dropped,
    combined_twice,
    space_changed,
    message_changed,
    prefix_changed,
    /// Only where a move takes its blocks from or puts them.
    blocks_misplaced,
};

inline constexpr int fault_count = 13;

std::string to_string(Fault fault);

struct Mutant {
    Fault fault = Fault::wait_dropped;
    /// Which move or wait was changed, and how.
    std::string where;
    schedule::Synchronised plan;
    /// The wait dropped or weakened, and whose it was.
    schedule::Wait wait;
    std::size_t stored = 0;
    /// The move changed is none in this form.
    bool moved_nothing = false;
};

/// Calls `use` with every schedule that differs from `plan` by one fault: each wait dropped and weakened in
/// turn, and each move of each stored program changed in each way. Under a symmetry a fault is in all
/// members' programs alike. Mutants that the constructor of Schedule refuses are counted in the result and
/// not handed on.
long for_each_mutant(const schedule::Synchronised& plan, const std::function<void(const Mutant&)>& use);

} // namespace tutti::test
