#pragma once

#include "schedule/synchronise.hpp"
#include "verify/clocks.hpp"
#include "verify/report.hpp"

namespace tutti::verify {

/// Reports every pair of conflicting accesses by different members to a block that the waits do not order as
/// the rounds do: an access of an earlier round first, and within a round reads before writes.
///
/// A block's owner counts as writing it before its entry and after its return, whichever vector it is in: its
/// caller fills input and output again, and the next operation on the group, whatever it is, may use its
/// scratch. One operation is enough to look at then: an access of this operation comes before the owner's
/// writes after its return, these before its next entry, and that before any access of the next operation,
/// which is the two facts proved here.
///
/// For Protocol::zero_copy and Protocol::in_place; `clocks` must have run for one operation at least.
void check_races(const schedule::Synchronised& plan, Clocks& clocks, Report& report);

/// The same for mailbox slots of Protocol::eager. The slots of one operation are written again by the
/// operation after next, so a member that waits for a point (and reads its message) in one operation must be
/// done with that round before the owner publishes the point in the operation after next. `clocks` must have
/// run for three operations. There is nothing to prove of collectives that let members run ahead of each
/// other: before a member writes over a message, the executor waits until everybody has entered the operation
/// in between.
void check_slots(const schedule::Synchronised& plan, Clocks& clocks, Report& report);

} // namespace tutti::verify
