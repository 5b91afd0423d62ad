#pragma once

#include <tutti/detail/standard.hpp>

#include <cstddef>
#include <functional>

namespace tutti {

/// Runs task(0) .. task(count - 1), each once, on any threads, concurrently or not, before it returns or
/// later: what a pool of threads does for a loop. It may copy the task and must keep a copy until it has run
/// all of them. The tasks do not throw. Where it throws itself, what it was handed has failed, and no task
/// does anything any more that has not begun. No thread that waits relies on it: it does what has
/// not begun itself, after which the tasks do nothing. Functions, coroutines and suspended tasks do rely on
/// it.
///
/// It is called only where that pays: the machine's profile says from where on (`tutti info`, hand-out).
using Executor = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

} // namespace tutti
