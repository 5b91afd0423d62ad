#pragma once

#include <tutti/detail/standard.hpp>

#include <cstddef>
#include <functional>

namespace tutti {
inline namespace TUTTI_NAMESPACE {

/// Runs task(0) .. task(count - 1), each exactly once, as a thread pool does for a loop. The tasks may run on
/// any threads, concurrently or one after the other, before the executor returns or later. The executor may
/// copy `task`, and must keep a copy until all tasks have run. The tasks do not throw.
///
/// If the executor throws, the operation fails, and tasks that have not started become no-ops.
///
/// @warning Continuations, coroutines and suspended tasks depend on the executor, so it must eventually run
/// every task. A blocking wait does not depend on it: the waiting thread runs the tasks that have not
/// started, which then become no-ops.
///
/// The library calls the executor only for operations above the machine's parallel threshold (`tutti info`
/// prints it).
using Executor = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

} // namespace TUTTI_NAMESPACE
} // namespace tutti
