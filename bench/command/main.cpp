// tutti: the command.

#include "busy/busy.hpp"
#include "command/pages.hpp"
#include "command/subcommands.hpp"
#include "page/page.hpp"
#include "report/results_file.hpp"
#include "sweep/sweep.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/text.hpp"

#include <tutti/error.hpp>
#include <tutti/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::bench {

namespace {

/// `tutti bench --hybrid ...` is another program, the only one with MPI in it. Does not return if it is
/// requested for.
void become_hybrid_bench(int argc, char** argv) {
    const bool is_asked_for =
        argc > 1 && std::string_view(argv[1]) == "bench" &&
        std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--hybrid"; });
    if (!is_asked_for) {
        return;
    }
    const auto program = program_directory() / "tutti-hybrid-bench";
    std::vector<char*> words{argv[0]};
    std::copy_if(argv + 2, argv + argc, std::back_inserter(words),
                 [](const char* word) { return std::string_view(word) != "--hybrid"; });
    words.push_back(nullptr);
    execv(program.c_str(), words.data());
    throw EnvironmentUnfit(fmt::format("bench --hybrid: there is no {}: build the target tutti_baselines, "
                                       "which has it if Open MPI and OpenMP are found",
                                       program.string()));
}

std::string page_of(const Environment& measured, std::span<const Point> points, bool is_all) {
    const nlohmann::json environment = to_json(measured);
    return viewer::page_text({.results = {{"this measurement",
                                           {.is_complete = is_all,
                                            .environment = text_of(environment),
                                            .circumstances = circumstances(environment),
                                            .points = {points.begin(), points.end()}}}},
                              .profiles = {}});
}

int run_bench(const BenchArguments& arguments) {
    const BenchOptions options = arguments.parsed();
    return arguments.busy.empty() ? run_sweep(options, page_of) : run_busy(options);
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* const command : app.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* const option : options_shown(command)) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

const CLI::App& command_named(const CLI::App& app, const std::string& name) {
    const std::vector<std::string> names = command_names(app);
    if (std::ranges::find(names, name) == names.end()) {
        throw UsageError(fmt::format("there is no command \"{}\"{}; there are: {}", name,
                                     did_you_mean(name, names), fmt::join(names, ", ")));
    }
    return *app.get_subcommand_ptr(name);
}

/// "bench: " where that command was named.
std::string of_command(const CLI::App& app) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    return chosen.empty() ? "" : chosen.front()->get_name() + ": ";
}

/// For words that CLI11 did not expect: prints the first, and a likely correction.
[[noreturn]] void refuse_words(const CLI::App& app) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const CLI::App& command = chosen.empty() ? app : *chosen.front();
    const std::string word = app.remaining(true).front();
    if (word.starts_with('-')) {
        const std::string name = word.substr(0, word.find('='));
        throw UsageError(fmt::format("{}there is no option {}{}", of_command(app), name,
                                     did_you_mean(name, option_names(command))));
    }
    if (chosen.empty()) {
        command_named(app, word);
    }
    throw UsageError(fmt::format("{}\"{}\" is one word too many", of_command(app), word));
}

/// Descriptions are broken where lines end, beside the names.
class FoldedHelp : public CLI::Formatter {
public:
    std::string make_description(const CLI::App* command) const override {
        return wrapped(CLI::Formatter::make_description(command), width_of(stdout));
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        return folded(option->get_description());
    }
    std::string make_subcommand(const CLI::App* command) const override {
        std::istringstream lines(folded(command->get_description()));
        std::string left = "  " + command->get_display_name(true);
        std::string text;
        for (std::string line; std::getline(lines, line); left.clear()) {
            text += fmt::format("{:<{}}{}\n", left, get_column_width(), line);
        }
        return text;
    }

    /// Examples, which are indented, stay lines that can be copied.
    std::string make_footer(const CLI::App* command) const override {
        std::istringstream lines(command->get_footer());
        std::string text;
        for (std::string line; std::getline(lines, line);) {
            text += line.starts_with(' ') || line.empty() ? line + "\n" : wrapped(line, width_of(stdout));
        }
        return text;
    }

private:
    std::string folded(const std::string& text) const {
        constexpr std::size_t least = 20;
        const std::size_t width = width_of(stdout);
        const std::string lines =
            wrapped(text, std::max(width, get_column_width() + least) - get_column_width());
        return lines.substr(0, lines.find_last_not_of('\n') + 1);
    }
};

/// Puts the examples below the text of its declaration.
void add_examples(CLI::App& command, const std::string& name) {
    const std::string notes = command.get_footer();
    command.footer(notes + (notes.empty() ? "" : "\n\n") + examples_text(name));
}

/// Adds a command with arguments of its own. If the user selects it, `chosen` runs it.
template <class Arguments>
void add_command(CLI::App& app, std::function<int()>& chosen, const char* name, const char* text,
                 int (*run)(const Arguments&)) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App& command = *app.add_subcommand(name, text);
    declare(command, *arguments);
    add_examples(command, name);
    command.callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

/// `tutti help` and `tutti help bench`: what --help prints. `tutti help --pages`: the pages of the manual.
void add_help(CLI::App& app, std::function<int()>& chosen) {
    const auto name = std::make_shared<std::string>();
    CLI::App& help = *app.add_subcommand("help", "Describe a command and its options");
    const auto pages = std::make_shared<std::string>();
    auto* const command_asked = help.add_option("command", *name, "Default: all commands");
    help.add_option("--pages", *pages, "Write manual pages below this directory instead")
        ->excludes(command_asked);
    add_examples(help, "help");
    help.callback([=, &app, &chosen] {
        chosen = [=, &app] {
            if (!pages->empty()) {
                write_pages(app, *pages);
                return exit_fine;
            }
            const auto formatter = app.get_formatter();
            const CLI::App& command = name->empty() ? app : command_named(app, *name);
            fmt::print("{}", formatter->make_help(&command, name->empty() ? "tutti" : "tutti " + *name,
                                                  CLI::AppFormatMode::Normal));
            return exit_fine;
        };
    });
}

void add_commands(CLI::App& app, std::function<int()>& chosen) {
    add_command(app, chosen, "info", "Show the machine, the build, the algorithms and their choice",
                run_info);
    add_command(app, chosen, "bench", "Measure collectives; results are checked before they are timed",
                run_bench);
    add_command(app, chosen, "compare",
                "Compare two files of measurements; exit code 3 if something became slower", run_compare);
    add_command(app, chosen, "report", "Write measurements as one file for a browser: curves, maps, findings",
                viewer::run_report);
    add_command(app, chosen, "trace",
                "Show the timeline of a collective: the steps of each member, and its waits for others",
                viewer::run_trace);
    add_command(app, chosen, "guidelines",
                "Measure whether collectives are as fast as the calls that could replace them",
                run_guidelines);
    add_command(app, chosen, "measure",
                "Measure the cache lines, caches and links of this machine, and draw which CPUs are near",
                laboratory::run_measure);
    add_command(app, chosen, "verify", "Prove the algorithms' schedules without running them",
                laboratory::run_verify);
    add_command(app, chosen, "draw",
                "Draw the rounds of an algorithm's schedule, or a machine and the CPU of each member",
                laboratory::run_draw);
    add_command(app, chosen, "model", "Compute the cost of the schedules in the alpha-beta-gamma model",
                laboratory::run_model);
    add_help(app, chosen);
    add_examples(app, "");
}

/// A value that is not of its option's type, such as "Could not convert: --check = foo".
[[noreturn]] void refuse_value(const CLI::App& app, const CLI::ConversionError& error) {
    const std::string text = error.what();
    constexpr std::string_view begin = "Could not convert: ";
    const std::size_t end = text.find(" = ");
    if (!text.starts_with(begin) || end == std::string::npos) {
        throw UsageError(of_command(app) + text);
    }
    const std::string name = text.substr(begin.size(), end - begin.size());
    const CLI::Option* const option = app.get_subcommands().front()->get_option_no_throw(name);
    const std::string type = option == nullptr ? "" : option->get_type_name();
    const char* const wanted = type.starts_with("BOOLEAN") ? "0 or 1"
                               : type.starts_with("FLOAT") ? "a number"
                                                           : "a whole number";
    throw UsageError(
        fmt::format("{}{}: \"{}\" is not {}", of_command(app), name, text.substr(end + 3), wanted));
}

int refuse(const std::exception& error) {
    fmt::print(stderr, "tutti: {}\nRun with --help for more information.\n", error.what());
    return exit_usage;
}

int run(int argc, char** argv) {
    become_hybrid_bench(argc, argv);
    CLI::App app("Collectives for threads: measure, verify, model, draw, look at the machine", "tutti");
    app.set_version_flag("-V,--version", TUTTI_VERSION_STRING);
    app.require_subcommand(0, 1);
    app.formatter(std::make_shared<FoldedHelp>());
    app.option_defaults()->always_capture_default();
    std::function<int()> chosen;
    add_commands(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ExtrasError&) {
        refuse_words(app);
    } catch (const CLI::Success& asked) { // --help, --version
        app.exit(asked);
        return exit_fine;
    } catch (const CLI::ConversionError& error) {
        refuse_value(app, error);
    } catch (const CLI::ParseError& error) {
        throw UsageError(of_command(app) + error.what());
    }
    if (!chosen) {
        throw UsageError(fmt::format("which command? there are: {}", fmt::join(command_names(app), ", ")));
    }
    return chosen();
}

} // namespace

} // namespace tutti::bench

int main(int argc, char** argv) {
    using namespace tutti::bench;
    try {
        const int code = run(argc, argv);
        flush(stdout);
        return code;
    } catch (const tutti::ArgumentError& error) {
        return refuse(error);
    } catch (const UsageError& error) {
        return refuse(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "tutti: {}\n", error.what());
        const bool is_unfit = dynamic_cast<const EnvironmentUnfit*>(&error) != nullptr;
        return is_unfit || std::ferror(stdout) != 0 ? exit_unfit : exit_wrong;
    }
}
