#pragma once

#include <tutti/detail/export.hpp>

#include <string>
#include <vector>

namespace tutti::engine {

/// "member 3", "members 0, 2, 5-63", of the word for one and for several, each rank once; of many runs of
/// ranks the first ones.
TUTTI_COMPONENT_API std::string text_of_ranks(std::vector<int> ranks, const std::string& one,
                                              const std::string& all);

} // namespace tutti::engine
