#pragma once

#include "algorithm/registry.hpp"
#include "schedule/synchronise.hpp"
#include "verify/report.hpp"

#include <cstdint>
#include <string>

namespace tutti::verify {

/// How the operands of a reduction must be combined, weakest first; each requires every member's block
/// exactly once. Collectives that reduce nothing require the right blocks in any case.
///
/// - complete: in any order and association
/// - identical: the same order and association at all members that have the block, so that results agree bit
/// for bit
/// - rank_order: in rank order, and the same association for every block and member
/// - canonical: associated as the tree of so many operands is (tutti/detail/association.hpp)
/// - serial: associated from the left instead, as a loop over the ranks does it
/// - asked: as the tree and from the left, whichever the call requires, in one combination of all operands
enum class Requirement : std::uint8_t { complete, identical, rank_order, canonical, serial, asked };

/// The guarantees of the row for so many members.
Requirement requirement_of(const algorithm::Algorithm& algorithm, int ranks);

/// Proves a schedule and its waits, or reports the faults, for all members and any element type and size:
///
/// - bounds: every member, block, round and point exists, and only vectors that may be written are
/// - content: every output block holds the right inputs, put together as required; nothing is read that
/// nobody wrote
/// - deadlock: all waits are satisfied in the end
/// - race, payload, slot reuse: for operations back to back, see check_races and check_slots; for a barrier,
/// everybody
///   has entered before anybody returns
///
/// Member r does for each round k: the waits with before_round == k, the moves of the round in order, and
/// publishes point k + 1; then the waits before its return. With a symmetry member 0 stands for all.
/// Time O(blocks moved + waits * ranks) for each stored program.
Report verify(const schedule::Synchronised& plan, Requirement requirement = Requirement::complete);

/// The output block of `rank` as an expression in the members' inputs x0, x1, ...: "x21 + x10 + (x15 + x4) +
/// ..." with + for whatever the operator is. Received partial sums stand in parentheses. Throws
/// std::invalid_argument when `rank` or `block` does not exist or has no output.
std::string expression(const schedule::Schedule& schedule, int rank, int block);

} // namespace tutti::verify
