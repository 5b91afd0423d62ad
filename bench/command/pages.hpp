#pragma once

#include "command/subcommands.hpp"
#include "lab_command/lab_command.hpp"
#include "options/bench_options.hpp"
#include "view_command/view_command.hpp"

#include <CLI/App.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// The manual pages of the command, made of the declarations that --help has.

namespace tutti::bench {

/// A described command: `tutti` itself if `command` is `app`.
struct Described {
    const CLI::App* command;
    /// "tutti" or "tutti bench".
    std::string name;
};

/// The command itself, then its subcommands.
std::vector<Described> described(const CLI::App& app);

/// Those that help shows.
std::vector<const CLI::Option*> options_shown(const CLI::App& command);

/// A page of the manual, section 1, for man(1): troff in UTF-8 with the macros man(7).
std::string manual_page(const CLI::App& app, const Described& of);

/// Writes man1/*.1 below the directory. Throws EnvironmentUnfit if it cannot.
void write_pages(const CLI::App& app, const std::filesystem::path& directory);

// The options of each command, and their help texts.

void declare(CLI::App& command, BenchArguments& arguments);
void declare(CLI::App& command, CompareArguments& arguments);
void declare(CLI::App& command, laboratory::DrawArguments& arguments);
void declare(CLI::App& command, GuidelinesArguments& arguments);
void declare(CLI::App& command, InfoArguments& arguments);
void declare(CLI::App& command, laboratory::MeasureArguments& arguments);
void declare(CLI::App& command, laboratory::ModelArguments& arguments);
void declare(CLI::App& command, viewer::ReportArguments& arguments);
void declare(CLI::App& command, viewer::TraceArguments& arguments);
void declare(CLI::App& command, laboratory::VerifyArguments& arguments);

/// A line that a reader may copy.
struct Example {
    /// "" is `tutti` itself.
    std::string_view command;
    const char* line;
    /// The effect of the line.
    const char* text;
};

/// The examples of a command.
std::vector<Example> examples_of(std::string_view command);

/// The same under a heading, as --help shows them: empty, or ends without a newline.
std::string examples_text(std::string_view command);

} // namespace tutti::bench
