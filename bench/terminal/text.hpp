#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::bench {

/// Columns of characters that a line printed to the stream may take: those of the terminal that it is, else
/// the environment variable COLUMNS, else any number.
std::size_t width_of(std::FILE* stream);

/// Longer lines of prose are hard to read, however many columns there are.
inline constexpr std::size_t widest_prose = 100;

/// Breaks the lines of a text between words so that none is longer than `width`, but not behind a number. A
/// line that begins with blanks goes on below its first word.
std::string wrapped(std::string_view text, std::size_t width);

/// Lines of cells in columns, which are as wide as their widest cell.
class Table {
public:
    struct Column {
        std::string heading;
        /// Columns with higher ones are left out first where there is no room; 0: never.
        int rank = 0;
        bool left_aligned = false;
        /// For the last column: long cells are broken between words before another column is left out.
        bool folds = false;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// As many cells as there are columns.
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }

    /// The headings and the rows. Columns in which all cells are empty or "-" are left out. So are as many
    /// others as it takes for lines of `width` characters; then a last line names them.
    std::string text(std::size_t width) const;

    /// The headings that such lines have.
    std::vector<std::string> shown(std::size_t width) const;

private:
    std::vector<std::size_t> widths() const;
    /// Sets to 0 what is left out to fit in; returns the headings.
    std::vector<std::string> leave_out(std::vector<std::size_t>& widths, std::size_t width) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

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

/// "3 points", "1 point".
std::string counted(std::size_t count, std::string_view what);

/// A time in microseconds with four digits and the unit that suits it: "1.234 us", "56.78 ms".
std::string format_us(double us);

} // namespace tutti::bench
