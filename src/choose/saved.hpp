#pragma once

#include "choose/table.hpp"
#include "machine/machine.hpp"

#include <memory>
#include <span>
#include <string>

/// The choices that groups have learnt in a program's own calls, in the file of a table.
namespace tutti::tuning {

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

/// The environment variable that names the file in which a process saves at its end.
inline constexpr const char* save_variable = "TUTTI_TUNING_SAVE";

/// Keeps an entry until the end of the process, in place of what was learnt at the same point before. By any
/// thread.
void learn(Entry entry);

/// The table with entries of this library and machine, each in place of all that hold for the same members,
/// operands and power of two of bytes, so that a table does not grow from run to run.
Table merged(Table table, std::span<const Entry> learnt);

/// Merges all that this process has learnt into a file of this library and machine, or writes a new one.
/// Other processes see either the whole file before or the whole new one, and may save to it at the same
/// time. Throws std::invalid_argument with the reason if the file cannot be written, or is left as it is
/// because load() rejects it.
void save(const std::string& path);

/// Has the process save at its end if TUTTI_TUNING_SAVE requests that and it has learnt anything. Reports
/// (set_log()) at once what would hinder that.
void save_at_exit();

} // namespace tutti::tuning
