#include "machine/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <stdexcept>

namespace tutti::machine {

namespace {

/// The kernel gives the start of a file with one read; the rest only if it is `whole`.
std::optional<std::string> read_file(const std::string& path, bool whole) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return std::nullopt;
    }
    std::string text;
    std::array<char, 4096> part{};
    ssize_t bytes = 0;
    do {
        bytes = read(file, part.data(), part.size());
        text.append(part.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    } while (whole && bytes > 0);
    close(file);
    return text;
}

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

std::optional<std::string> text_of_file(const std::string& path) {
    return read_file(path, true);
}

std::optional<std::string> line_of_file(const std::string& path) {
    std::optional<std::string> text = read_file(path, false);
    if (text) {
        text->resize(std::min(text->find('\n'), text->size()));
    }
    return text;
}

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
                "'" + std::string(entry) + (entry == text ? "" : "' in '" + std::string(text)) +
                "' is neither a CPU number (0 to " + std::to_string(largest_os_index) +
                ") nor an ascending range; use for example 0,2,4-7");
        }
        const std::size_t known = os_indices.size();
        os_indices.resize(known + static_cast<std::size_t>(*last - *first) + 1);
        std::iota(os_indices.begin() + static_cast<std::ptrdiff_t>(known), os_indices.end(), *first);
        begin = end + 1;
    }
    return os_indices;
}

} // namespace tutti::machine
