#pragma once

#include <CLI/App.hpp>

#include <filesystem>
#include <string>
#include <vector>

// Descriptions of the command beside --help, made of the same declarations.

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

/// The words that may be an option's value, if the command has a list of them: names of collectives or
/// algorithms, of commands for `tutti help`.
std::vector<std::string> words_known(const CLI::App& app, const CLI::Option& option);

/// A page of the manual, section 1, for man(1): troff in UTF-8 with the macros man(7).
std::string manual_page(const CLI::App& app, const Described& of);

/// A script that completes what is typed, for bash-completion(7): bash 4.
std::string bash_completion(const CLI::App& app);

/// The same for zsh: a file for its fpath, `_tutti`.
std::string zsh_completion(const CLI::App& app);

/// Writes man1/*.1, bash/tutti and zsh/_tutti below the directory. Throws EnvironmentUnfit if it cannot.
void write_pages(const CLI::App& app, const std::filesystem::path& directory);

} // namespace tutti::bench
