#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::bench {

/// "64", "64K", "64M", "2G", "64KiB", "64k": bytes, with binary suffixes. Throws std::invalid_argument naming
/// the text and what would work.
std::size_t parse_bytes(const std::string& text);

/// The reverse for readers: "64 MiB", "12 B"; exact, so that sizes that are not whole units stay in smaller
/// ones.
std::string format_bytes(std::size_t bytes);

/// "2,4,8", "1:1024", "1:16,22,33": numbers and ascending ranges with both ends, from 1 to `most`, as
/// ascending numbers without repetitions. Throws std::invalid_argument naming the part that is wrong and what
/// would work.
std::vector<int> parse_counts(const std::string& text, int most);

/// first, first * factor, ... up to and including last. \pre 0 < first <= last, factor > 1
std::vector<std::size_t> geometric_sizes(std::size_t first, std::size_t last, double factor);

/// A time in microseconds with four digits and the unit that suits it: "1.234 us", "56.78 ms".
std::string format_us(double us);

} // namespace tutti::bench
