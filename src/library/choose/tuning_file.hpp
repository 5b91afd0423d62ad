#pragma once

#include "choose/table.hpp"
#include "machine/machine.hpp"

#include <unistd.h>

#include <span>

/// The choices that groups have learnt in a program's own calls, and the file in which they are kept: lines
/// of printable ASCII, words separated by one blank.
///
///     tutti-tuning 10                                   the format's version
///     library 1.0.0
///     model AMD EPYC 9R14                               the machine, see fingerprint()
///     cpus 0-1
///     cores 2
///     l2 2 x 1048576
///     l3 1 x 33554432
///     allreduce exact 8 1 65536 direct 24.1 flat 31     collective, operands, members, L3 groups, bytes;
///     ...                                               algorithms and their times in us, the choice first
///     allreduce exact 8 1 65536/in-place direct/non-temporal 24.1     in place; one way to store, not the
///     policy's
///     ...
///     end 387 0123456789abcdef                          lines after the machine's, FNV-1a of all that
///     precedes this line
namespace tutti::tuning {

/// No file of a table is longer.
inline constexpr std::size_t most_file_bytes = std::size_t{4} << 20U;

/// The text of the file.
std::string to_text(const Table& table);

/// The reverse. Throws std::invalid_argument with the reason and the line, unless the text is one that
/// to_text can have written: whole and undamaged by its checksum, of this format, every entry once, in order,
/// with possible numbers, and with algorithms that are registered and may be chosen there. A forged text with
/// a right checksum can at worst have slow algorithms chosen.
Table parse(std::string_view text);

/// The contents of a regular file of at most most_file_bytes. Throws std::invalid_argument for all others:
/// directories, devices, pipes, files that cannot be read or are too long. Never blocks.
std::string read_file(const std::string& path);

inline constexpr std::size_t fingerprint_lines = 5;

/// The properties of a machine on which times depend, as lines of printable ASCII: the processor's model, the
/// allowed CPUs, how many cores they are, and their L2 and L3 caches.
std::vector<std::string> fingerprint(const machine::Machine& machine);

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

/// What the process has learnt so far; null if that is nothing.
std::shared_ptr<const Table> learnt_table();

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
