#pragma once

#include "distance/groups.hpp"
#include "distance/line_profile.hpp"
#include "machine/machine.hpp"

#include <vector>

namespace tutti::laboratory {

/// The results of `tutti measure`.
struct Survey {
    /// The CPUs that were compared, each with each, and the times of lines between them.
    std::vector<machine::Pu> pus;
    distance::Matrix one_way_ns{0};
    distance::MachineModel profile;
};

/// Measures the profile of this machine in about so many seconds, or less; of more than 64 CPUs it compares
/// some. On a slow machine the steps that are left get what time is left. Says on stderr how far it is, if
/// that is to be shown. Throws std::runtime_error where threads cannot be pinned, std::bad_alloc. \pre at
/// least 2 CPUs
Survey survey(const machine::Machine& machine, double seconds, bool progress_shown);

} // namespace tutti::laboratory
