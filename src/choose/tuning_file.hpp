#pragma once

#include "choose/table.hpp"
#include "immovable.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

/// The file of a table: lines of printable ASCII, words separated by one blank.
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

[[noreturn]] inline void refuse_for_errno() {
    throw std::invalid_argument(std::generic_category().message(errno));
}

/// An open file, which is closed at the end; none if the number is negative.
class Descriptor : Immovable {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }

    int number() const { return number_; }
    bool close() { return ::close(std::exchange(number_, -1)) == 0; }

private:
    int number_;
};

} // namespace tutti::tuning
