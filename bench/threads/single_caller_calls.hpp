#pragma once

#include "measure/calls.hpp"
#include "measure/problem.hpp"
#include "tasks/src/pass/pass.hpp"

#include <tutti/executor.hpp>

namespace tutti::bench {

/// The function with which one thread solves `problem`, sums of doubles, so many times for all members; empty
/// where one caller has no such call.
Calls single_caller_calls(const Problem& problem, const pass::Vectors& vectors, const Executor& executor);

} // namespace tutti::bench
