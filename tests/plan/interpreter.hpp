#pragma once

#include "../std.hpp"
#include "algorithm/registry.hpp"
#include "plan/plan.hpp"
#include "schedule/synchronise.hpp"

namespace tutti::test {

/// How a schedule is to be carried out by the interpreter.
struct Run {
    plan::Partition partition;
    /// Input and output are the same memory, which the eager form does not say by itself.
    bool in_place = false;
    /// In what order the operands are promised to be combined.
    algorithm::Order order = algorithm::Order::none;
    std::uint32_t seed = 0;
};

/// Compiles the plans of all members and carries them out on strings, three operations back to back, one step
/// at a time, with the members interleaved at random. Checks every access against the size that its vector
/// has, the carried bytes against the slot they lie in, and what the vectors hold in the end. Returns what
/// went wrong, or nothing. Shares no code with the executor.
std::string interpret(const schedule::Synchronised& synchronised, const Run& run);

} // namespace tutti::test
