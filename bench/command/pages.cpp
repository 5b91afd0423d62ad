#include "command/pages.hpp"

#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"

#include <tutti/version.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

namespace tutti::bench {

namespace {

/// Text that troff prints as it is.
std::string escaped(std::string_view text) {
    std::string result;
    bool begins_line = true;
    for (const char letter : text) {
        if (begins_line && (letter == '.' || letter == '\'')) {
            result += "\\&";
        }
        begins_line = letter == '\n';
        switch (letter) {
        case '\\':
            result += "\\e";
            break;
        case '-':
            result += "\\-";
            break;
        default:
            result += letter;
        }
    }
    return result;
}

std::string names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) {
        names.push_back("\\fB\\-" + escaped(name) + "\\fR");
    }
    for (const std::string& name : option.get_lnames()) {
        names.push_back("\\fB\\-\\-" + escaped(name) + "\\fR");
    }
    if (names.empty()) {
        names.push_back("\\fI" + escaped(option.get_name(true)) + "\\fR");
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

bool takes_value(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

void describe(std::string& page, const CLI::Option& option) {
    page += ".TP\n" + names_of(option);
    if (option.nonpositional() && takes_value(option)) {
        page += " \\fI" + escaped(option.get_type_name()) + "\\fR";
    }
    page += "\n" + escaped(option.get_description()) + "\n";
    if (option.get_required()) {
        page += "Required.\n";
    }
    if (!option.get_default_str().empty()) {
        page += "Default: " + escaped(option.get_default_str()) + "\n";
    }
}

void list_options(std::string& page, const CLI::App& command) {
    for (const auto& [heading, positional] : {std::pair("ARGUMENTS", true), std::pair("OPTIONS", false)}) {
        bool is_first = true;
        for (const CLI::Option* const option : options_shown(command)) {
            if (option->nonpositional() != positional) {
                page += std::exchange(is_first, false) ? fmt::format(".SH {}\n", heading) : "";
                describe(page, *option);
            }
        }
    }
}

void list_commands(std::string& page, const CLI::App& app) {
    page += ".SH COMMANDS\n";
    for (const CLI::App* const command : app.get_subcommands({})) {
        page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(command->get_name()),
                            escaped(command->get_description()));
    }
}

void list_exit_codes(std::string& page) {
    page += ".SH EXIT STATUS\n";
    constexpr int interrupted = 128 + SIGINT;
    const std::array meanings{
        std::pair<int, const char*>(exit_fine, "success"),
        std::pair<int, const char*>(exit_wrong, "a result is wrong, or a proof or a guideline does not hold"),
        std::pair<int, const char*>(exit_usage, "the arguments are not valid; the message lists valid ones"),
        std::pair<int, const char*>(exit_regression, "tutti compare: something became slower"),
        std::pair<int, const char*>(exit_unfit, "the machine or its software does not support the request"),
        std::pair<int, const char*>(interrupted, "the command was interrupted (set by the shell)")};
    for (const auto& [code, meaning] : meanings) {
        page += fmt::format(".TP\n{}\n{}\n", code, meaning);
    }
}

void list_variables(std::string& page) {
    page += ".SH ENVIRONMENT\n";
    const std::array variables{
        std::pair("TUTTI_TIMEOUT", "Timeout in seconds, or never, of all calls that have no other timeout."),
        std::pair("TUTTI_WAIT", "How threads wait for each other: automatic, spin, yield or sleep."),
        std::pair("TUTTI_ROLL_CALL",
                  "A signal, such as USR1, that writes a roll call of all members to stderr."),
        std::pair("TUTTI_TRACE", "A file, such as run.pftrace, for a trace of the calls of all groups."),
        std::pair("TUTTI_TUNING", "on, off, or a file of TUTTI_TUNING_SAVE: how groups choose algorithms."),
        std::pair("TUTTI_TUNING_SAVE",
                  "A file to which a program saves what its groups have learnt, for the next run."),
        std::pair("TUTTI_ISA", "The widest instruction set that may be used: generic, avx2 or avx512."),
        std::pair("COLUMNS", "The width of tables.")};
    for (const auto& [name, meaning] : variables) {
        page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", name, meaning);
    }
}

/// "tutti bench" as the page is called.
std::string page_name(const Described& of) {
    std::string name = of.name;
    std::ranges::replace(name, ' ', '-');
    return name;
}

void list_examples(std::string& page, const Described& of) {
    page += ".SH EXAMPLES\n";
    for (const Example& example : examples_of(of.name.substr(std::min(of.name.size(), sizeof "tutti")))) {
        page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(example.line), escaped(example.text));
    }
}

} // namespace

std::vector<Described> described(const CLI::App& app) {
    std::vector<Described> all{{&app, "tutti"}};
    for (const CLI::App* const command : app.get_subcommands({})) {
        all.push_back({command, "tutti " + command->get_name()});
    }
    return all;
}

std::vector<const CLI::Option*> options_shown(const CLI::App& command) {
    std::vector<const CLI::Option*> shown = command.get_options();
    std::erase_if(shown, [](const CLI::Option* option) { return option->get_group().empty(); });
    return shown;
}

std::string manual_page(const CLI::App& app, const Described& of) {
    const CLI::App& command = *of.command;
    const bool is_whole = &command == &app;
    std::string upper = page_name(of);
    std::ranges::transform(upper, upper.begin(), [](char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
    std::string page = fmt::format(
        ".TH {} 1 \"\" \"Tutti {}\" \"Tutti\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n\\fB{}\\fR", escaped(upper),
        TUTTI_VERSION_STRING, escaped(page_name(of)), escaped(command.get_description()), escaped(of.name));
    page += is_whole ? " \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n" : " [\\fIOPTIONS\\fR]";
    for (const CLI::Option* const option : options_shown(command)) {
        if (!option->nonpositional()) {
            const bool is_list = option->get_items_expected_max() > 1;
            const std::string names = names_of(*option) + (is_list ? "..." : "");
            page += option->get_required() ? " " + names : " [" + names + "]";
        }
    }
    page += is_whole ? "" : "\n";
    list_options(page, command);
    if (is_whole) {
        list_commands(page, app);
        list_variables(page);
    }
    list_exit_codes(page);
    const std::string footer = command.get_footer();
    const std::string notes = footer.substr(0, footer.find("Examples:"));
    if (!notes.empty()) {
        page += ".SH NOTES\n" + escaped(notes.substr(0, notes.find_last_not_of('\n') + 1)) + "\n";
    }
    list_examples(page, of);
    page += ".SH SEE ALSO\n";
    std::vector<std::string> others;
    for (const Described& other : described(app)) {
        if (other.command != &command) {
            others.push_back(fmt::format("\\fB{}\\fR(1)", escaped(page_name(other))));
        }
    }
    return page + fmt::format("{}\n", fmt::join(others, ", "));
}

void write_pages(const CLI::App& app, const std::filesystem::path& directory) {
    std::error_code error; // write_output() reports what it leads to
    std::filesystem::create_directories(directory / "man1", error);
    for (const Described& of : described(app)) {
        write_output(directory / "man1" / (page_name(of) + ".1"), manual_page(app, of));
    }
}

} // namespace tutti::bench
