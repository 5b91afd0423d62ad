// The manual pages of the command, and the examples in them and in --help.

#include "bench/tests/command.hpp"

#include <regex>

using namespace tutti::test;

namespace {

std::set<std::string> matches(const std::string& text, const char* pattern) {
    const std::regex expression(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) {
        found.insert((*match)[1]);
    }
    return found;
}

/// The options of a help: words with dashes at the start of a line.
std::set<std::string> options_of(const std::string& help) {
    std::set<std::string> options;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  -")) {
            options.merge(matches(line.substr(0, line.find(' ', 2)), "(--?[a-zA-Z][-a-z]*)"));
        }
    }
    return options;
}

struct Pages {
    Place place;
    Pages() { expect(0, "help --pages " + place / ""); }

    /// A page of the manual, with plain dashes.
    std::string manual(const std::string& command) const {
        const std::string name = "man1/tutti" + (command.empty() ? "" : "-" + command) + ".1";
        return std::regex_replace(content_of(place / name), std::regex(R"(\\-)"), "-");
    }
};

} // namespace

TEST_CASE("the manual has every environment variable that the documentation has") {
    const std::string page = Pages().manual("");
    const std::set<std::string> variables =
        matches(content_of(TUTTI_DOCS "/waiting.md"), "\n\\| `([A-Z_]+)`");
    CHECK(variables.size() >= 5);
    for (const std::string& variable : variables) {
        CHECK_MESSAGE(mentions(page, ".TP\n\\fB" + variable + "\\fR\n"), variable);
    }
}

TEST_CASE("the page of each command has its options, its examples and the exit codes") {
    const Pages pages;
    const std::set<std::string> names = matches(pages.manual(""), R"(\\fBtutti-([a-z]+)\\fR\(1\))");
    REQUIRE(names.size() > 8);
    for (const std::string& name : names) {
        CAPTURE(name);
        const std::string help = tutti_command(name + " --help").text;
        const std::set<std::string> options = options_of(help);
        CHECK(options.count("--help") == 1);
        const std::string page = pages.manual(name);
        for (const std::string& option : options) {
            CAPTURE(option);
            CHECK(mentions(page, "\\fB" + option + "\\fR"));
        }
        const std::size_t examples = help.find("Examples:\n");
        REQUIRE(examples != std::string::npos);
        const std::set<std::string> lines = matches(help.substr(examples), "\n  ([a-z][^\n]*)");
        CHECK(!lines.empty());
        for (const std::string& line : lines) {
            CAPTURE(line);
            CHECK(mentions(page, "\\fB" + line + "\\fR"));
            const std::size_t words = line.find("tutti " + name);
            REQUIRE(words != std::string::npos);
            for (const std::string& option : matches(line.substr(words), " (--?[a-z][-a-z]*)")) {
                CHECK(options.count(option) == 1);
            }
        }
        const std::size_t codes = page.find(".SH EXIT STATUS\n");
        REQUIRE(codes != std::string::npos);
        for (const std::string code : {"0", "1", "2", "3", "4", "130"}) {
            CHECK(page.find(".TP\n" + code + "\n", codes) != std::string::npos);
        }
    }
}
