#pragma once

#include <atomic>
#include <vector>

namespace tutti::test {

/// How often this process has started to send, since it was last set to 0: counted through MPI's profiling
/// interface.
extern std::atomic<int> sends;

/// Lets that many more sends pass, then fails one with MPI_ERR_OTHER; negative: fails none.
extern std::atomic<int> sends_until_failure;

/// Lets every send of messages to come be one that lasts until it is received, as long ones do.
extern std::atomic<bool> sends_last;

/// How often a request has been freed of which MPI was not done: its memory may go away then.
extern std::atomic<int> freed_active;

/// The texts that this process has sent of its failures.
std::vector<const char*> told_texts();

} // namespace tutti::test
