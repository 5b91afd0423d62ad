#pragma once

#include <atomic>

namespace tutti::test {

/// How often this process has started to send, since it was last set to 0: counted through MPI's profiling
/// interface.
extern std::atomic<int> sends;

/// Lets that many more sends pass, then fails every one with MPI_ERR_OTHER; negative: fails none.
extern std::atomic<int> sends_until_failure;

} // namespace tutti::test
