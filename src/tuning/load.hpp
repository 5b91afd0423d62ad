#pragma once

#include "machine/machine.hpp"
#include "machine/thresholds.hpp"
#include "tuning/table.hpp"

#include <memory>
#include <string>

namespace tutti::tuning {

/// This machine as it was at the first call.
const machine::Machine& this_machine();

/// The thresholds of this machine's processor family.
const machine::Thresholds& this_thresholds();

/// The table in a file. Throws std::invalid_argument with the reason if the table cannot be used: if
/// read_file() or parse() throws, or if another version of the library or another machine than `machine` has
/// measured it.
Table load(const std::string& path, const machine::Machine& machine);

/// The source of groups' choices.
struct Source {
    /// Nothing: the built-in choice.
    std::shared_ptr<const Table> table;
    /// One line: "built-in choice", "file tuned.txt", or why a file is not used.
    std::string text;
    /// Whether groups try several algorithms in their first calls, and keep the fastest.
    bool explores = true;
};

/// The source that `tuning` names, or, if it is empty, the environment variable TUTTI_TUNING: "on", "off", or
/// a file. Groups explore unless it is "off". If neither names a file or is "off", the file that
/// TUTTI_TUNING_SAVE names is read if it exists. A file is read once in the life of a process. A file that is
/// rejected is reported (set_log()), once, with the option or variable that names it, and none is used.
/// Callable by any thread.
Source source_of(const std::string& tuning);

} // namespace tutti::tuning
