#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::machine {

/// The text of a file of the kernel's, without streams, which take longer than the file; nothing if the file
/// cannot be read.
std::optional<std::string> text_of_file(const std::string& path);

/// Its first line, of at most 4 KiB.
std::optional<std::string> line_of_file(const std::string& path);

/// "0,2,4-7": CPU numbers in the given order, runs of consecutive ones shortened; "none" if there are none.
std::string format_cpu_list(std::span<const int> os_indices);

/// The reverse of format_cpu_list: decimal numbers and ascending ranges, separated by commas, order and
/// repetitions kept.
/// \throws std::invalid_argument naming the entry that is neither.
std::vector<int> parse_cpu_list(std::string_view text);

} // namespace tutti::machine
