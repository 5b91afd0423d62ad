#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::machine {

/// "0,2,4-7": CPU numbers in the given order, runs of consecutive ones shortened; "none" if there are none.
std::string format_cpu_list(std::span<const int> os_indices);

/// The reverse of format_cpu_list: decimal numbers and ascending ranges, separated by commas, order and
/// repetitions kept.
/// \throws std::invalid_argument naming the entry that is neither.
std::vector<int> parse_cpu_list(std::string_view text);

} // namespace tutti::machine
