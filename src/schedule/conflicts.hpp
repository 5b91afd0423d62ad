#pragma once

#include "schedule/waits.hpp"

#include <vector>

namespace tutti::schedule {

/// The waits that the conflicting accesses of a schedule need, in a protocol that is not eager: for each
/// representative in order of before_round, the strongest of a round first. Time O(accesses to blocks).
std::vector<std::vector<Wait>> conflicts(const Schedule& schedule, Protocol protocol);

/// The waits that earlier ones of the same member do not imply. Time O(waits * ranks), space O(ranks) for
/// each point of a representative that somebody still waits for; from 2^28 of waits * ranks on all waits.
std::vector<std::vector<Wait>> without_implied(const Schedule& schedule,
                                               const std::vector<std::vector<Wait>>& waits);

} // namespace tutti::schedule
