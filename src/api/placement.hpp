#pragma once

#include <string>
#include <vector>

namespace tutti::detail {

/// The CPU of each of so many members or threads, 0 for one on each allowed CPU. ArgumentError says that
/// `who` has been told, and calls the number `what`.
std::vector<int> cpus_for(const std::string& who, const std::string& what, int number,
                          const std::string& placement);

} // namespace tutti::detail
