#pragma once

#include "machine/machine.hpp"
#include "machine/thresholds.hpp"
#include "tuning/table.hpp"

#include <memory>
#include <string>

namespace tutti::tuning {

/// This machine as it was when it was first asked for.
const machine::Machine& this_machine();

/// The profile of this machine, for as long as the process lives: that of the file which TUTTI_TUNING names
/// where it has one, else that of the processor's family.
const machine::Thresholds& this_thresholds();

/// The table in a file. Throws std::invalid_argument that says why there is none that may be used: what
/// read_file() and parse() refuse, and tables that another version of the library or another machine than
/// `machine` has measured.
Table load(const std::string& path, const machine::Machine& machine);

/// Where groups take their choices from.
struct Source {
    /// Nothing: the built-in choice.
    std::shared_ptr<const Table> table;
    /// One line: "built-in choice", "file tuned.txt", or why a file is not used.
    std::string text;
    /// Whether groups try several algorithms in their first calls, and keep the fastest.
    bool explores = true;
};

/// What `tuning` asks for, or, if it is empty, the environment variable TUTTI_TUNING: "on", "off", or a file.
/// Groups explore unless it is "off". If neither names a file or is
/// "off", the one that TUTTI_TUNING_SAVE names is read if it exists. A file is read once in the life of a
/// process. One that is refused is reported (set_log()), once, with the option or variable that names it, and
/// none is used. Callable by any thread.
Source source_of(const std::string& tuning);

} // namespace tutti::tuning
