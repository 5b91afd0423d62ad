// Descriptions of the command beside --help: manual pages, completions and the examples in both.

#include "../../test.hpp"
#include "mpirun/temporary_directory.hpp"
#include "support.hpp"

#include <regex>

using tutti::test::Outcome;
using tutti::test::shell;
using tutti::test::tutti_command;

namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
    const std::regex expression(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) {
        found.insert((*match)[1]);
    }
    return found;
}

/// As `tutti help` lists them.
std::vector<std::string> commands() {
    std::vector<std::string> names;
    std::istringstream lines(tutti_command({"help"}).text);
    bool listed = false;
    for (std::string line; std::getline(lines, line);) {
        std::string name;
        std::istringstream(line) >> name;
        if (listed && !line.empty() && line[0] == ' ' && line[2] != ' ') {
            names.push_back(name);
        }
        listed = line.starts_with("Subcommands") || (listed && !line.empty());
    }
    return names;
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
    tutti::bench::TemporaryDirectory directory;
    Pages() {
        const Outcome outcome = tutti_command({"help", "--pages", directory.path().string()});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.text);
    }
    std::filesystem::path manual(const std::string& command) const {
        return directory.path() / "man1" / ("tutti" + (command.empty() ? "" : "-" + command) + ".1");
    }
};

} // namespace

TEST_CASE("the manual has every environment variable that the documentation has") {
    const Pages pages;
    const std::string page = text_of(pages.manual(""));
    const std::string documented = text_of(TUTTI_DOCS "/waiting.md");
    const std::set<std::string> variables = matches(documented, "\n\\| `([A-Z_]+)`");
    CHECK(variables.size() >= 5);
    for (const std::string& variable : variables) {
        CAPTURE(variable);
        CHECK(page.find(".TP\n\\fB" + variable + "\\fR\n") != std::string::npos);
    }
}

TEST_CASE("every option of a help is on the page of the manual and is completed") {
    const Pages pages;
    const std::string bash = text_of(pages.directory.path() / "bash" / "tutti");
    const std::string zsh = text_of(pages.directory.path() / "zsh" / "_tutti");
    const std::vector<std::string> names = commands();
    REQUIRE(names.size() > 8);
    for (const std::string& name : names) {
        CAPTURE(name);
        const std::set<std::string> options = options_of(tutti_command({name, "--help"}).text);
        CHECK(options.count("--help") == 1);
        const std::string page = std::regex_replace(text_of(pages.manual(name)), std::regex(R"(\\-)"), "-");
        const std::size_t at = zsh.find("\n" + name + ")\n");
        REQUIRE(at != std::string::npos);
        const std::string of_zsh = zsh.substr(at, zsh.find(";;", at) - at);
        const std::set<std::string> of_bash =
            matches(matches(bash, ("'" + name + " '-\\*\\) words='([^']*)'").c_str()).empty()
                        ? ""
                        : *matches(bash, ("'" + name + " '-\\*\\) words='([^']*)'").c_str()).begin(),
                    "([^ ]+)");
        for (const std::string& option : options) {
            CAPTURE(option);
            CHECK(page.find("\\fB" + option + "\\fR") != std::string::npos);
            CHECK(of_zsh.find(")" + option + "[") != std::string::npos);
            CHECK(of_bash.count(option) == 1);
        }
        CHECK(of_bash.size() == options.size());
    }
}

TEST_CASE("every command has examples, of options that it has, in its help and its manual") {
    const Pages pages;
    for (const std::string& name : commands()) {
        CAPTURE(name);
        const std::string help = tutti_command({name, "--help"}).text;
        const std::size_t at = help.find("Examples:\n");
        REQUIRE(at != std::string::npos);
        const std::set<std::string> lines = matches(help.substr(at), "\n  ([a-z][^\n]*)");
        REQUIRE(!lines.empty());
        const std::string page = std::regex_replace(text_of(pages.manual(name)), std::regex(R"(\\-)"), "-");
        for (const std::string& line : lines) {
            CAPTURE(line);
            CHECK(page.find("\\fB" + line + "\\fR") != std::string::npos);
            const std::size_t words = line.find("tutti " + name);
            REQUIRE(words != std::string::npos);
            for (const std::string& option : matches(line.substr(words), " (--?[a-z][-a-z]*)")) {
                CHECK(options_of(help).count(option) == 1);
            }
        }
    }
}

TEST_CASE("bash completes commands, options, and names that the command knows") {
    if (shell("command -v bash").exit_code != 0) {
        MESSAGE("no bash, so nothing is completed");
        return;
    }
    const Pages pages;
    const auto completed = [&](const std::string& words, int place) {
        return shell("bash -c 'source " + (pages.directory.path() / "bash" / "tutti").string() +
                     "; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(place) +
                     "; _tutti; echo \"${COMPREPLY[*]}\"'")
            .text;
    };
    CHECK(completed("tutti be", 1) == "bench\n");
    CHECK(completed("tutti --ver", 1) == "--version\n");
    CHECK(completed("tutti bench --al", 2) == "--algorithm\n");
    CHECK(completed("tutti bench allg", 2) == "allgather\n");
    CHECK(completed("tutti draw scan -a hyp", 4) == "hypercube\n");
    CHECK(completed("tutti info --why sca", 3) == "scatter scan\n");
    CHECK(completed("tutti help gui", 2) == "guidelines\n");
    CHECK(completed("tutti compare re", 2) == "\n"); // files
    CHECK(completed("tutti bench --json all", 3) == "\n");
}

TEST_CASE("every page of the manual has the exit codes") {
    const Pages pages;
    for (const std::string& name : commands()) {
        const std::string page = text_of(pages.manual(name));
        const std::size_t at = page.find(".SH EXIT STATUS\n");
        REQUIRE(at != std::string::npos);
        for (const char* code : {"0", "1", "2", "3", "4", "130"}) {
            CHECK(page.find(std::string(".TP\n") + code + "\n", at) != std::string::npos);
        }
    }
}
