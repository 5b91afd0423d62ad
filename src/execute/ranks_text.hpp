#pragma once

#include <string>
#include <vector>

namespace tutti::execute {

/// "member 3", "members 0, 2, 5-63", each once; of many runs of ranks the first ones.
std::string text_of_members(std::vector<int> ranks);

} // namespace tutti::execute
