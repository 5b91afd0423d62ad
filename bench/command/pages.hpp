#pragma once

#include <CLI/App.hpp>

#include <filesystem>
#include <string>
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

} // namespace tutti::bench
