// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/detail/standard.hpp>

#include <cstddef>
#include <functional>

namespace tutti::v0_1 {

class Team;

/// Runs task(0) .. task(count - 1), each exactly once, as a thread pool does for a loop. The tasks may run on
/// any threads, concurrently or one after the other. The executor may block until they have run, or return
/// earlier. An executor that returns earlier must keep a copy of `task` until all tasks have run. The tasks
/// do not throw.
///
/// If several groups or calls use one executor, several threads may call it at once. A task may call it as
/// well, if a function of AsyncRequest::then() or a coroutine makes the next call.
///
/// If the executor throws, the operation fails, and tasks that have not started become no-ops.
///
/// @warning Continuations, coroutines and suspended tasks depend on the executor, so it must eventually run
/// every task. A blocking wait does not depend on it: the waiting thread runs the tasks that have not
/// started, which then become no-ops.
///
/// The library calls the executor only for operations of two or more slices: by default, those above the
/// machine's parallel threshold (AsyncGroupOptions::slice_bytes).
using Executor = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

/// An executor that runs tasks on the members of a team, for calls that one thread makes for all ranks:
/// `tutti::all_buffers::allreduce(inputs, outputs, tutti::sum, tutti::executor_of(team))`. Each member
/// first runs a contiguous share of the tasks, and then tasks that other members have not started. The
/// executor calls Team::run(), returns when the run has ended, and throws what run() throws. Members of the
/// same team must not call it, because run() would throw Error. The team must outlive the executor.
TUTTI_API Executor executor_of(Team& team);

} // namespace tutti::v0_1
