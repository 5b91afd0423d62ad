#pragma once

#include "schedule/synchronise.hpp"
#include "tests/std.hpp"
#include "verify/verify.hpp"

namespace tutti::test {

/// Carries out a schedule on strings, four operations back to back, one block access at a time, with the
/// members interleaved at random: always the runnable member of highest priority, priorities drawn anew now
/// and then. Callers refill their inputs and overwrite outputs and scratch between operations. Returns what
/// went wrong in this interleaving, or nothing: it can find faults, not prove their absence. Shares no code
/// with the verifier. `outputs` says whether every member has an output of its own or all share one, which
/// nobody overwrites between operations.
enum class Outputs : bool { separate, shared };
std::string simulate(const schedule::Synchronised& plan, verify::Requirement requirement, std::uint32_t seed,
                     Outputs outputs = Outputs::separate);

} // namespace tutti::test
