#include "terminal/text.hpp"

#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <sstream>

namespace tutti::bench {

namespace {

constexpr std::size_t gap = 2;

/// Letters of UTF-8: bytes that do not continue one.
std::size_t letters_in(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string padding(std::size_t width, std::string_view cell) {
    std::string blanks;
    blanks.resize(width - std::min(width, letters_in(cell)), ' ');
    return blanks;
}

/// The width of the shown columns, with the gaps between them.
std::size_t total_of(const std::vector<std::size_t>& widths) {
    const auto shown = static_cast<std::size_t>(widths.size()) -
                       static_cast<std::size_t>(std::ranges::count(widths, std::size_t{0}));
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
           gap * (std::max<std::size_t>(shown, 1) - 1);
}

/// The end of the word from `begin` on; a number stays with its unit, "8 B" and "2 members", unless the two
/// are longer than `most`.
std::size_t end_of_word(std::string_view line, std::size_t begin, std::size_t most) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const auto is_one_of = [&](std::size_t at, std::string_view bytes) {
        return at < line.size() && bytes.find(line[at]) != std::string_view::npos;
    };
    const bool is_number = end > begin && is_one_of(end - 1, "0123456789");
    if (!is_number || !is_one_of(end + 1, "%abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        return end;
    }
    const std::size_t both = std::min(line.find(' ', end + 1), line.size());
    return letters_in(line.substr(begin, both - begin)) <= most ? both : end;
}

std::string wrapped_line(std::string_view line, std::size_t width) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t hanging = indent == 0 ? 0 : indent + gap;
    std::string text;
    std::size_t column = 0;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t begin = std::min(line.find_first_not_of(' ', at), line.size());
        const std::size_t end = end_of_word(line, begin, width - std::min(width, hanging));
        const std::string_view word = line.substr(begin, end - begin);
        const std::size_t blanks = begin - at;
        if (at > indent && column + blanks + letters_in(word) > width) {
            text += "\n" + std::string(hanging, ' ');
            column = hanging;
        } else {
            text += line.substr(at, blanks);
            column += blanks;
        }
        text += word;
        column += letters_in(word);
        at = end;
    }
    return text;
}

/// A cell that may be wider than its column: broken, with what goes on below the first line behind `before`.
std::string folded_below(const std::string& cell, std::size_t width, const std::string& before) {
    std::string text;
    std::istringstream lines(letters_in(cell) > width ? wrapped_line(cell, width) : cell);
    for (std::string line; std::getline(lines, line);) {
        if (!text.empty()) {
            text.append("\n").append(before);
        }
        text += line;
    }
    return text;
}

} // namespace

std::size_t width_of(std::FILE* stream) {
    winsize size{};
    const int descriptor = fileno(stream);
    if (isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    std::size_t columns = 0;
    if (const char* const text = std::getenv("COLUMNS")) {
        const std::string_view digits(text);
        std::from_chars(digits.data(), digits.data() + digits.size(), columns);
    }
    return columns > 0 ? columns : std::numeric_limits<std::size_t>::max();
}

std::string wrapped(std::string_view text, std::size_t width) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        result += wrapped_line(text.substr(at, end - at), width) + "\n";
        at = end + 1;
    }
    return result;
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths(columns_.size());
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i] == "-" ? 0 : letters_in(row[i]));
        }
    }
    for (std::size_t i = 0; i < widths.size(); ++i) {
        widths[i] = widths[i] == 0 ? 0 : std::max(widths[i], letters_in(columns_[i].heading));
    }
    return widths;
}

std::vector<std::string> Table::leave_out(std::vector<std::size_t>& widths, std::size_t width) const {
    constexpr std::size_t least_folded = 28;
    const std::size_t whole = widths.back();
    if (columns_.back().folds) {
        widths.back() = std::min(whole, least_folded);
    }
    std::vector<std::string> left_out;
    while (total_of(widths) > width) {
        std::size_t least = columns_.size();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const bool can_go = widths[i] > 0 && columns_[i].rank > 0;
            if (can_go && (least == columns_.size() || columns_[i].rank >= columns_[least].rank)) {
                least = i;
            }
        }
        if (least == columns_.size()) {
            break;
        }
        widths[least] = 0;
        left_out.push_back(columns_[least].heading);
    }
    if (widths.back() > 0 && width > total_of(widths)) {
        widths.back() = std::min(whole, widths.back() + width - total_of(widths));
    }
    return left_out;
}

std::vector<std::string> Table::shown(std::size_t width) const {
    std::vector<std::size_t> widths = this->widths();
    leave_out(widths, width);
    std::vector<std::string> headings;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (widths[i] > 0) {
            headings.push_back(columns_[i].heading);
        }
    }
    return headings;
}

std::string Table::text(std::size_t width) const {
    std::vector<std::size_t> widths = this->widths();
    const std::vector<std::string> left_out = leave_out(widths, width);
    const std::string below_last(total_of(widths) - std::min(widths.back(), total_of(widths)), ' ');
    std::string text;
    const auto add_line = [&](const auto& cell_of) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (widths[i] > 0) {
                const std::string& cell = cell_of(i);
                line += line.empty() ? "" : std::string(gap, ' ');
                line += columns_[i].left_aligned
                            ? folded_below(cell, widths[i], below_last) + padding(widths[i], cell)
                            : padding(widths[i], cell) + cell;
            }
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    };
    add_line([&](std::size_t i) -> const std::string& { return columns_[i].heading; });
    for (const auto& row : rows_) {
        add_line([&](std::size_t i) -> const std::string& { return row[i]; });
    }
    if (!left_out.empty()) {
        text +=
            wrapped(fmt::format("(left out to fit {} columns: {})", width, fmt::join(left_out, ", ")), width);
    }
    return text;
}

} // namespace tutti::bench
