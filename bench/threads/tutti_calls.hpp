#pragma once

#include "measure/calling.hpp"
#include "measure/problem.hpp"

#include <tutti/async_group.hpp>
#include <tutti/member.hpp>

#include <cstddef>
#include <functional>
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

} // namespace tutti::bench
