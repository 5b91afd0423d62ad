#include "choose/group_config.hpp"
#include "choose/tuning_file.hpp"
#include "environment.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <locale>
#include <sstream>

namespace tutti::tuning {

namespace {

/// A number as the file has it, which Reader reads back to the last bit.
template <class Number, class... Base>
std::string shown(Number number, Base... base) {
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, base...);
    return {buffer.data(), end};
}

/// Takes a text apart, line by line and word by word.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }

    /// Goes to the next line. It has to end where it should, and nothing may be left of the last one.
    void next_line() {
        ++number_;
        const std::size_t end = rest_.find('\n');
        if (end == std::string_view::npos) {
            fail("the file ends here");
        }
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        ended_ = false;
    }

    bool line_is_over() const { return ended_; }

    /// The next word, without `ending` and with true if it ends so.
    std::pair<std::string_view, bool> word_without(std::string_view ending) {
        std::string_view text = word();
        const bool ends_so = text.ends_with(ending);
        text.remove_suffix(ends_so ? ending.size() : 0);
        return {text, ends_so};
    }

    std::string_view word() {
        if (ended_) {
            fail("words are missing");
        }
        const std::size_t end = line_.find(' ');
        const std::string_view word = line_.substr(0, end);
        ended_ = end == std::string_view::npos;
        line_.remove_prefix(ended_ ? line_.size() : end + 1);
        if (word.empty()) {
            fail("an empty word");
        }
        return word;
    }

    /// The rest of the line, which may be empty.
    std::string_view remainder() {
        ended_ = true;
        return line_;
    }

    template <class Number>
    Number number(const char* what, Number least, Number most) {
        return number_in(word(), what, least, most);
    }

    template <class Number>
    Number number_in(std::string_view text, const char* what, Number least, Number most) {
        Number value{};
        if (!read(text, value) || !(value >= least && value <= most)) {
            fail(std::string(what) + " " + quoted_word(text) + " is not a number from " + shown(least) +
                 " to " + shown(most));
        }
        return value;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw std::invalid_argument("line " + std::to_string(number_) + ": " + what);
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

    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
    bool ended_ = true;
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
Enum named(Reader& reader, const char* what, int count, std::string_view name) {
    for (int i = 0; i < count; ++i) {
        if (to_string(static_cast<Enum>(i)) == name) {
            return static_cast<Enum>(i);
        }
    }
    reader.fail(std::string(what) + " " + quoted_word(name) + " is unknown");
}

template <class Enum>
Enum named(Reader& reader, const char* what, int count) {
    return named<Enum>(reader, what, count, reader.word());
}

Measured measured(Reader& reader, const Point& point) {
    const std::string_view word = reader.word();
    const std::string_view name = word.substr(0, word.find('/'));
    const algorithm::Algorithm* const row = algorithm::find(point.collective, name);
    if (row == nullptr) {
        reader.fail("there is no algorithm " + quoted_word(name) + " for " +
                    std::string(to_string(point.collective)));
    }
    if (!may_choose(*row, point.operands, point.members)) {
        reader.fail("algorithm " + quoted_word(name) + " cannot be chosen for " +
                    std::string(to_string(point.operands)) + " operands of " + std::to_string(point.members) +
                    " members");
    }
    const Stores stores = name.size() == word.size() ? Stores::by_policy
                                                     : named<Stores>(reader, "way to store", stores_count,
                                                                     word.substr(name.size() + 1));
    return {algorithm::index_of(*row), reader.number("time", 0.0, most_us), stores};
}

Entry entry(Reader& reader) {
    Entry entry;
    Point& point = entry.point;
    point.collective = named<Collective>(reader, "collective", detail::collective_count);
    point.operands = named<Operands>(reader, "operands", operands_count);
    point.members = reader.number("members", 2, most_members);
    point.l3_groups = reader.number("L3 groups", 1, point.members);
    const auto [bytes, in_place] = reader.word_without(in_place_ending);
    point.bytes = reader.number_in(bytes, "bytes", std::size_t{0}, most_bytes);
    point.in_place = in_place;
    do {
        entry.measured.push_back(measured(reader, point));
        const auto is_same = [&](const Measured& each) {
            return each.row == entry.measured.back().row && each.stores == entry.measured.back().stores;
        };
        if (std::ranges::count_if(entry.measured, is_same) != 1) {
            reader.fail("an algorithm is there twice");
        }
    } while (!reader.line_is_over());
    return entry;
}

void check_format(Reader& reader) {
    reader.next_line();
    if (reader.word() != magic) {
        reader.fail("this is not a tuning file");
    }
    const int version = reader.number("format version", 0, 1'000'000);
    if (version != format_version) {
        reader.fail("the format is version " + std::to_string(version) + ", and this library reads version " +
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
    Reader format(text);
    check_format(format);
    Reader reader(undamaged(text));
    Table table;
    reader.next_line();
    reader.remainder();
    reader.next_line();
    if (reader.word() != "library") {
        reader.fail("expected the library's version here");
    }
    table.library = reader.remainder();
    for (const std::string_view label : machine_labels) {
        reader.next_line();
        if (reader.word() != label) {
            reader.fail("expected \"" + std::string(label) + "\" of the machine here");
        }
        table.machine.push_back(std::string(label) + " " + std::string(reader.remainder()));
    }
    while (!reader.at_end()) {
        reader.next_line();
        table.entries.push_back(entry(reader));
        const std::size_t entries = table.entries.size();
        if (entries > 1 && table.entries[entries - 2].point >= table.entries.back().point) {
            reader.fail("entries are not in ascending order");
        }
    }
    return table;
}

} // namespace tutti::tuning
