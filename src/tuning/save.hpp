#pragma once

#include "tuning/table.hpp"

#include <span>
#include <string>

/// The choices that groups have learnt in a program's own calls, in the file of a table.
namespace tutti::tuning {

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
