#pragma once

#include "schedule/schedule.hpp"

#include <span>
#include <string>
#include <vector>

namespace tutti::bench {

/// The words of a list such as "ring,hypercube".
std::vector<std::string> words_of(const std::string& list);

std::vector<Collective> all_collectives();

/// parse_collective() with a UsageError.
Collective collective_named(const std::string& text);

/// All names of algorithms that any of the collectives has, in the order of the registry.
std::vector<std::string> algorithm_names(std::span<const Collective> collectives);

/// Throws UsageError "OPTION: "TEXT" is unknown", with a likely correction and the known names, unless the
/// text is one of `known`.
void check_known(const char* option, const std::string& text, std::span<const std::string> known);

} // namespace tutti::bench
