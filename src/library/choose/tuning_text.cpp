#include "choose/group_config.hpp"
#include "choose/tuning_file.hpp"
#include "environment.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <locale>
#include <sstream>
#include <system_error>

namespace tutti::tuning {

namespace {

/// A number as the file has it, which Line reads back to the last bit.
template <class Number, class... Base>
std::string shown(Number number, Base... base) {
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, base...);
    return {buffer.data(), end};
}

/// A line of the file, with its number, of which words are taken one by one.
struct Line {
    std::size_t number;
    std::string_view rest;

    std::string_view word() {
        const std::string_view word = rest.substr(0, rest.find(' '));
        if (word.empty()) {
            fail(rest.empty() ? "words are missing" : "an empty word");
        }
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        return word;
    }

    /// What follows the word `label`, which may be nothing.
    std::string_view after(std::string_view label) {
        if (word() != label) {
            fail("expected a line that begins with \"" + std::string(label) + "\"");
        }
        return rest;
    }

    template <class Number>
    Number number_in(std::string_view text, const char* what, Number least, Number most) const {
        Number value{};
        if (!read(text, value) || !(value >= least && value <= most)) {
            fail(std::string(what) + " " + quoted_word(text) + " is not a number from " + shown(least) +
                 " to " + shown(most));
        }
        return value;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw std::invalid_argument("line " + std::to_string(number) + ": " + what);
    }

private:
    /// Whether the whole text is a number, which it stores.
    template <class Number>
    static bool read(std::string_view text, Number& value) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc() && end == text.data() + text.size();
    }
    /// Without std::from_chars, which libc++ 19 lacks for double.
    static bool read(std::string_view text, double& value) {
        // Streams accept more than std::from_chars: a sign in front, and hexadecimal digits.
        if (text.starts_with('+') || text.find_first_not_of("0123456789.e+-") != std::string_view::npos) {
            return false;
        }
        std::istringstream stream{std::string(text)};
        stream.imbue(std::locale::classic());
        return stream >> value && stream.peek() == std::istringstream::traits_type::eof();
    }
};

constexpr std::string_view magic = "tutti-tuning";
constexpr int format_version = 10;
constexpr std::string_view in_place_ending = "/in-place";
constexpr std::array<std::string_view, fingerprint_lines> machine_labels{"model", "cpus", "cores", "l2",
                                                                         "l3"};
constexpr std::size_t most_bytes = std::size_t{1} << 40U;
constexpr int most_members = 65535;
constexpr double most_us = 1e9;
constexpr std::size_t head_lines = 2 + fingerprint_lines;

/// Any change of one byte changes it, whatever follows. FNV-1a and not mixed(): its values are in files that
/// machines have.
std::uint64_t checksum(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
    return hash;
}

std::string end_line(std::size_t lines, std::string_view before) {
    return "end " + std::to_string(lines) + " " + shown(checksum(before), 16) + "\n";
}

template <class Enum>
Enum named(const Line& line, const char* what, int count, std::string_view name) {
    for (int i = 0; i < count; ++i) {
        if (to_string(static_cast<Enum>(i)) == name) {
            return static_cast<Enum>(i);
        }
    }
    line.fail(std::string(what) + " " + quoted_word(name) + " is unknown");
}

Measured measured(Line& line, const Point& point) {
    const std::string_view word = line.word();
    const std::string_view name = word.substr(0, word.find('/'));
    const algorithm::Algorithm* const row = algorithm::find(point.collective, name);
    if (row == nullptr) {
        line.fail("there is no algorithm " + quoted_word(name) + " for " +
                  std::string(to_string(point.collective)));
    }
    if (!may_choose(*row, point.operands, point.members)) {
        line.fail("algorithm " + quoted_word(name) + " cannot be chosen for " +
                  std::string(to_string(point.operands)) + " operands of " + std::to_string(point.members) +
                  " members");
    }
    const Stores stores = name.size() == word.size() ? Stores::by_policy
                                                     : named<Stores>(line, "way to store", stores_count,
                                                                     word.substr(name.size() + 1));
    return {algorithm::index_of(*row), line.number_in(line.word(), "time", 0.0, most_us), stores};
}

Entry entry(Line line) {
    if (line.rest.empty() || line.rest.ends_with(' ')) {
        line.fail("an empty word");
    }
    Entry entry;
    Point& point = entry.point;
    point.collective = named<Collective>(line, "collective", detail::collective_count, line.word());
    point.operands = named<Operands>(line, "operands", operands_count, line.word());
    point.members = line.number_in(line.word(), "members", 2, most_members);
    point.l3_groups = line.number_in(line.word(), "L3 groups", 1, point.members);
    std::string_view bytes = line.word();
    point.in_place = bytes.ends_with(in_place_ending);
    bytes.remove_suffix(point.in_place ? in_place_ending.size() : 0);
    point.bytes = line.number_in(bytes, "bytes", std::size_t{0}, most_bytes);
    do {
        entry.measured.push_back(measured(line, point));
        const auto is_same = [&](const Measured& each) {
            return each.row == entry.measured.back().row && each.stores == entry.measured.back().stores;
        };
        if (std::ranges::count_if(entry.measured, is_same) != 1) {
            line.fail("an algorithm is there twice");
        }
    } while (!line.rest.empty());
    return entry;
}

void check_format(Line line) {
    if (line.word() != magic) {
        line.fail("this is not a tuning file");
    }
    const int version = line.number_in(line.word(), "format version", 0, 1'000'000);
    if (version != format_version) {
        line.fail("the format is version " + std::to_string(version) + ", and this library reads version " +
                  std::to_string(format_version) + ": delete the file");
    }
}

/// The text before the last line, which must be end_line() of it.
std::string_view undamaged(std::string_view text) {
    const auto is_allowed = [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); };
    if (!std::ranges::all_of(text, is_allowed)) {
        throw std::invalid_argument("it is not a text file");
    }
    const std::size_t at = text.rfind("\nend ");
    if (at == std::string_view::npos) {
        throw std::invalid_argument("it is damaged: there is no last line that begins with \"end\"");
    }
    const std::string_view before = text.substr(0, at + 1);
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    if (lines < head_lines || text.substr(at + 1) != end_line(lines - head_lines, before)) {
        throw std::invalid_argument("it is damaged: the checksum or the number of lines is wrong");
    }
    return before;
}

} // namespace

std::string to_text(const Table& table) {
    std::string text =
        std::string(magic) + " " + std::to_string(format_version) + "\nlibrary " + table.library + "\n";
    for (const std::string& line : table.machine) {
        text += line + "\n";
    }
    for (const Entry& entry : table.entries) {
        const Point& point = entry.point;
        text += std::string(to_string(point.collective)) + " " + std::string(to_string(point.operands)) +
                " " + std::to_string(point.members) + " " + std::to_string(point.l3_groups) + " " +
                std::to_string(point.bytes) + std::string(point.in_place ? in_place_ending : "");
        for (const Measured& measured : entry.measured) {
            text += " " + name_of(algorithm::registry()[measured.row], measured.stores) + " " +
                    shown(measured.us);
        }
        text += "\n";
    }
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    return text + end_line(lines - head_lines, text);
}

Table parse(std::string_view text) {
    check_format({1, text.substr(0, text.find('\n'))});
    std::string_view rest = undamaged(text);
    std::size_t number = 0;
    const auto next_line = [&] {
        const Line line{++number, rest.substr(0, rest.find('\n'))};
        rest.remove_prefix(line.rest.size() + 1);
        return line;
    };
    next_line(); // the format
    Table table;
    table.library = next_line().after("library");
    for (const std::string_view label : machine_labels) {
        table.machine.push_back(std::string(label) + " " + std::string(next_line().after(label)));
    }
    while (!rest.empty()) {
        const Line line = next_line();
        table.entries.push_back(entry(line));
        const std::size_t entries = table.entries.size();
        if (entries > 1 && table.entries[entries - 2].point >= table.entries.back().point) {
            line.fail("entries are not in ascending order");
        }
    }
    return table;
}

} // namespace tutti::tuning
