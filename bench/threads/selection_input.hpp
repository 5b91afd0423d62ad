#pragma once

#include "execute/select.hpp"
#include "measure/problem.hpp"
#include "tuning/table.hpp"

#include <cstddef>
#include <vector>

namespace tutti::bench {

/// What the library's choice of an algorithm depends on, for a work of a benchmark.
struct Question {
    detail::Call call;
    execute::CallSize size;
};

/// The question that members who call `work` put to execute::select().
Question question_of(const Work& work);

/// The rows of the registry that may be chosen for the work without changing a bit of its result.
std::vector<std::size_t> candidates(const Work& work);

} // namespace tutti::bench
