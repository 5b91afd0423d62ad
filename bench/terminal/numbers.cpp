#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace tutti::bench {

namespace {

constexpr std::array units{"B", "KiB", "MiB", "GiB"};

/// The power of 1024 that a suffix stands for.
int parse_unit(std::string_view suffix) {
    constexpr std::string_view letters = "KMG";
    if (suffix.empty() || suffix == "B" || suffix == "b") {
        return 0;
    }
    const auto letter = letters.find(static_cast<char>(suffix[0] & ~0x20)); // upper case
    const std::string_view rest = suffix.substr(1);
    if (letter == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "iB" || rest == "b")) {
        return -1;
    }
    return static_cast<int>(letter) + 1;
}

int parse_count(std::string_view text, int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most) {
        throw std::invalid_argument(fmt::format(
            "\"{}\" is not a number from 1 to {}; lists and ranges of them work, such as 2,4,8 or 1:16", text,
            most));
    }
    return value;
}

} // namespace

std::size_t parse_bytes(const std::string& text) {
    std::size_t value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    const int unit = parse_unit({end, last});
    const bool fits = unit >= 0 && value <= std::numeric_limits<std::size_t>::max() >> (10 * unit);
    if (error != std::errc() || !fits) {
        throw std::invalid_argument(fmt::format(
            "\"{}\" is not a number of bytes; what works is like 8, 64K, 16M or 1GiB (binary units)", text));
    }
    return value << (10 * unit);
}

std::string format_bytes(std::size_t bytes) {
    std::size_t unit = 0;
    while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", bytes, units[unit]);
}

std::vector<int> parse_counts(const std::string& text, int most) {
    std::set<int> counts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = std::string_view(text).substr(begin, end - begin);
        const std::size_t colon = part.find(':');
        const int first = parse_count(part.substr(0, colon), most);
        const int last = colon == std::string_view::npos ? first : parse_count(part.substr(colon + 1), most);
        if (last < first) {
            throw std::invalid_argument(fmt::format("\"{}\" runs backwards; write {}:{}", part, last, first));
        }
        for (int count = first; count <= last; ++count) {
            counts.insert(count);
        }
        begin = end + 1;
    }
    return {counts.begin(), counts.end()};
}

std::vector<std::size_t> geometric_sizes(std::size_t first, std::size_t last, double factor) {
    std::vector<std::size_t> sizes;
    double next = static_cast<double>(first);
    while (next <= static_cast<double>(last)) {
        const auto size = static_cast<std::size_t>(next);
        if (sizes.empty() || size != sizes.back()) {
            sizes.push_back(size);
        }
        next *= factor;
    }
    return sizes;
}

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string format_us(double us) {
    if (us == 0) {
        return "0 us";
    }
    const bool millis = us >= 10'000;
    const double value = millis ? us / 1000 : us;
    const int before_point = std::max(static_cast<int>(std::floor(std::log10(value))) + 1, 1);
    return fmt::format("{:.{}f} {}", value, std::clamp(4 - before_point, 0, 3), millis ? "ms" : "us");
}

} // namespace tutti::bench
