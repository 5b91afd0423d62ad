#include "command/pages.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tutti::bench {

namespace {

/// "-b" and "--begin".
std::vector<std::string> flags_of(const CLI::Option& option) {
    std::vector<std::string> flags;
    for (const std::string& name : option.get_snames()) {
        flags.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        flags.push_back("--" + name);
    }
    return flags;
}

/// The text in single quotes, which the shell takes as it is; letters of `special` get a backslash.
std::string in_quotes(std::string_view text, std::string_view special) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\'') {
            result += "'\\''";
            continue;
        }
        if (special.find(letter) != std::string_view::npos) {
            result += '\\';
        }
        result += letter == '\n' ? ' ' : letter;
    }
    return result;
}

/// The completions after options that take a value: words, or nothing, which leaves it to names of files.
void complete_values(std::string& script, const CLI::App& app, const CLI::App& command) {
    for (const CLI::Option* const option : options_shown(command)) {
        if (!option->nonpositional() || option->get_items_expected_max() == 0) {
            continue;
        }
        std::vector<std::string> before;
        for (const std::string& flag : flags_of(*option)) {
            before.push_back(fmt::format("'{} {}'", command.get_name(), flag));
        }
        script += fmt::format("    {}) words='{}' ;;\n", fmt::join(before, " | "),
                              fmt::join(words_known(app, *option), " "));
    }
}

/// Options where a dash is typed, and else what may stand alone.
void complete_words(std::string& script, const CLI::App& app, const CLI::App& command) {
    std::vector<std::string> flags;
    std::vector<std::string> words;
    for (const CLI::Option* const option : options_shown(command)) {
        if (option->nonpositional()) {
            for (const std::string& flag : flags_of(*option)) {
                flags.push_back(flag);
            }
        } else {
            words = words_known(app, *option);
        }
    }
    if (&command == &app) {
        for (const CLI::App* const one : app.get_subcommands({})) {
            words.push_back(one->get_name());
        }
    }
    const std::string name = &command == &app ? "" : command.get_name();
    script += fmt::format("    '{} '-*) words='{}' ;;\n    '{} '*) words='{}' ;;\n", name,
                          fmt::join(flags, " "), name, fmt::join(words, " "));
}

void describe_for_zsh(std::string& script, const CLI::App& app, const CLI::Option& option) {
    const std::vector<std::string> known = words_known(app, option);
    const std::string value = fmt::format(
        ":{}:{}", option.nonpositional() ? in_quotes(option.get_type_name(), ":") : option.get_name(true),
        known.empty() ? "_files" : fmt::format("({})", fmt::join(known, " ")));
    if (!option.nonpositional()) {
        script += fmt::format(" \\\n        '{}{}'", option.get_items_expected_max() > 1 ? "*" : "", value);
        return;
    }
    const std::vector<std::string> flags = flags_of(option);
    const std::string text = fmt::format("[{}]{}", in_quotes(option.get_description(), "[]\\"),
                                         option.get_items_expected_max() > 0 ? value : std::string());
    for (const std::string& flag : flags) {
        script += fmt::format(" \\\n        '({}){}{}'", fmt::join(flags, " "), flag, text);
    }
}

} // namespace

std::string bash_completion(const CLI::App& app) {
    std::string script =
        "# Completion of tutti for bash, as written by `tutti help --pages`.\n"
        "_tutti() {\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "    local command='' words=''\n"
        "    [ \"$COMP_CWORD\" -gt 1 ] && command=${COMP_WORDS[1]}\n"
        "    case \"$command $previous\" in\n";
    for (const CLI::App* const command : app.get_subcommands({})) {
        complete_values(script, app, *command);
    }
    script += "    *)\n    case \"$command $current\" in\n";
    complete_words(script, app, app);
    for (const CLI::App* const command : app.get_subcommands({})) {
        complete_words(script, app, *command);
    }
    return script + "    esac\n"
                    "    esac\n"
                    "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                    "}\n"
                    "complete -o default -F _tutti tutti\n";
}

std::string zsh_completion(const CLI::App& app) {
    std::string script = "#compdef tutti\n"
                         "# Completion of tutti for zsh, as written by `tutti help --pages`.\n"
                         "if (( CURRENT == 2 )); then\n"
                         "    local -a commands\n"
                         "    commands=(";
    for (const CLI::App* const command : app.get_subcommands({})) {
        script += fmt::format("\n        '{}:{}'", command->get_name(),
                              in_quotes(command->get_description(), ":\\"));
    }
    script += "\n    )\n    _describe command commands\n    _arguments";
    for (const CLI::Option* const option : options_shown(app)) {
        describe_for_zsh(script, app, *option);
    }
    script += "\n    return\nfi\n"
              "local command=$words[2]\n"
              "shift words\n"
              "(( CURRENT-- ))\n"
              "case $command in\n";
    for (const CLI::App* const command : app.get_subcommands({})) {
        script += fmt::format("{})\n    _arguments", command->get_name());
        for (const CLI::Option* const option : options_shown(*command)) {
            describe_for_zsh(script, app, *option);
        }
        script += "\n    ;;\n";
    }
    return script + "esac\n";
}

} // namespace tutti::bench
