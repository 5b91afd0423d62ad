#include "machine/cpu_list.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace tutti::machine {
namespace {

// Far above any machine, far below what a mistyped range could exhaust memory with.
constexpr int largest_os_index = 65535;

std::optional<int> parse_os_index(std::string_view text) {
    int value = -1;
    const char* const end = text.data() + text.size();
    const auto [stopped_at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped_at != end || value < 0 || value > largest_os_index) {
        return std::nullopt;
    }
    return value;
}

} // namespace

std::string format_cpu_list(std::span<const int> os_indices) {
    if (os_indices.empty()) {
        return "none";
    }
    std::string text;
    for (std::size_t first = 0; first < os_indices.size();) {
        std::size_t last = first;
        while (last + 1 < os_indices.size() && os_indices[last + 1] == os_indices[last] + 1) {
            ++last;
        }
        text += (text.empty() ? "" : ",") + std::to_string(os_indices[first]);
        if (last > first) {
            text += "-" + std::to_string(os_indices[last]);
        }
        first = last + 1;
    }
    return text;
}

std::vector<int> parse_cpu_list(std::string_view text) {
    std::vector<int> os_indices;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view entry = text.substr(begin, end - begin);
        const std::size_t dash = entry.find('-');
        const std::optional<int> first = parse_os_index(entry.substr(0, dash));
        const std::optional<int> last =
            dash == std::string_view::npos ? first : parse_os_index(entry.substr(dash + 1));
        if (!first || !last || *last < *first) {
            throw std::invalid_argument(
                "'" + std::string(entry) + "' in '" + std::string(text) + "' is neither a CPU number (0 to " +
                std::to_string(largest_os_index) + ") nor an ascending range; use for example 0,2,4-7");
        }
        const std::size_t known = os_indices.size();
        os_indices.resize(known + static_cast<std::size_t>(*last - *first) + 1);
        std::iota(os_indices.begin() + static_cast<std::ptrdiff_t>(known), os_indices.end(), *first);
        begin = end + 1;
    }
    return os_indices;
}

} // namespace tutti::machine
