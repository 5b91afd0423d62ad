#pragma once

#include "test.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace tutti::test {

/// Makes a child, which ends at once, and waits for it.
inline void fork_and_return() {
    const pid_t child = fork();
    if (child == 0) {
        _exit(7);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 7);
}

} // namespace tutti::test
