#pragma once

#include "schedule/pattern.hpp"
#include "schedule/schedule.hpp"

namespace tutti::schedule {

/// Gives the logical vector of a pattern a place in memory, block by block: a member's own blocks start in
/// its input; a block that it receives or combines goes to the output if the collective wants that block
/// there, else to scratch0. A block that others read in the round in which it is written dodges them: it
/// alternates between its place and the next scratch vector, so that the last write falls on its place.
/// Reductions are three-address, so nothing is copied first; a member's own block that the output needs and
/// no transfer brings is copied in the first round.
Schedule place(const Pattern& pattern, Collective collective, int root = 0);

} // namespace tutti::schedule
