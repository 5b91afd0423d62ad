#pragma once

#include <cstdlib>
#include <string>

namespace tutti {

/// The value of an environment variable of Tutti, or nothing if it is not set, is empty, or must not be
/// trusted: a program with set-user-ID or capabilities has more rights than the user who sets its variables,
/// and some of them name files.
///
/// Variables are read when a group is made, and once per process in the case of TUTTI_ISA. The value is
/// copied at once, but the C library lets no other thread call setenv() meanwhile.
inline std::string environment_variable(const char* name) {
    const char* const value = secure_getenv(name);
    return value != nullptr ? value : "";
}

} // namespace tutti
