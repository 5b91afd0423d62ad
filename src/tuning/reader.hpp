#pragma once

#include "printable.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tutti::tuning {

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
    static bool read(std::string_view text, double& value);

    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
    bool ended_ = true;
};

} // namespace tutti::tuning
