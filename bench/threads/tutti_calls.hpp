#pragma once

#include "choose/select.hpp"
#include "choose/table.hpp"
#include "measure/calling.hpp"
#include "measure/problem.hpp"
#include "tasks/src/pass/pass.hpp"

#include <tutti/async_group.hpp>
#include <tutti/executor.hpp>
#include <tutti/member.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace tutti::bench {

/// The function that solves `problem` so many times as member `me` that blocks or starts its calls, through
/// the public interface. `algorithm` may be empty: the library chooses. In place, `output` is the vector. All
/// members use it in the same order.
std::function<void(std::size_t calls)> tutti_calls(Member& me, const Problem& problem,
                                                   const std::string& algorithm, std::byte* input,
                                                   std::byte* output, const Calling& calling = {});

/// The same as rank `rank` of an async group, whose requests it waits for.
std::function<void(std::size_t calls)> arriving_calls(AsyncGroup& meeting, int rank, const Problem& problem,
                                                      std::byte* input, std::byte* output);

/// The function with which one thread solves `problem`, sums of doubles, so many times for all members; empty
/// where the all-buffers form has no such call.
Calls all_buffers_calls(const Problem& problem, const pass::Vectors& vectors, const Executor& executor);

/// The calls to record.
struct TracedCall {
    Problem problem;
    /// Empty: the library chooses.
    std::string algorithm = {};
    std::string placement = "compact";
    int calls = 1;
};

/// Solves the problem so many times on a team of its own, whose members meet at a barrier before each call.
/// Returns the JSON lines of its trace, with steps, in which these calls have the even numbers; the first are
/// missing where there are many. Throws what the library throws, and std::bad_alloc.
std::string traced_calls(const TracedCall& call);

/// The inputs of the library's choice of an algorithm.
struct SelectionInput {
    detail::Call call;
    library::Selection::Input size;
};

/// The arguments of library::select() for members that call `problem`.
SelectionInput selection_input_of(const Problem& problem);

/// Throws UsageError with the reason if the algorithm, which the collective has, cannot serve the problem.
void check_algorithm(const std::string& name, const Problem& problem);

} // namespace tutti::bench
