#pragma once

#include <string>

namespace tutti::laboratory {

// The papers' tables, computed from the registry's schedules and held against what the papers print.

/// Rabenseifner & Träff 2004, Table 1: four allreduce protocols for odd numbers of ranks.
std::string rabenseifner_traff_2004();

/// Träff et al. 2023, Table I, for so many ranks.
std::string traff_2023(int ranks);

/// Träff 2024, Corollary 1, and the choices of skips of Corollary 2 side by side.
std::string traff_2024(int ranks);

} // namespace tutti::laboratory
