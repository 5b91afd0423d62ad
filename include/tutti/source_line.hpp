// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/standard.hpp>

namespace tutti::v0_1 {

/// A line of a source file.
struct SourceLine {
    /// Must stay valid as long as the program may request roll calls, as a string literal does.
    const char* file = nullptr;
    /// Counts from 1; 0: unknown.
    unsigned line = 0;

    /// The line of the call; usable as a default argument.
    static constexpr SourceLine here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return {file, line};
    }
};

} // namespace tutti::v0_1
