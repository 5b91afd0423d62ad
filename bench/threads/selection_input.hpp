#pragma once

#include "choose/select.hpp"
#include "measure/problem.hpp"
#include "tuning/table.hpp"

#include <cstddef>
#include <vector>

namespace tutti::bench {

/// What the library's choice of an algorithm depends on.
struct SelectionInput {
    detail::Call call;
    engine::CallSize size;
};

/// What members who call `problem` hand to engine::select().
SelectionInput selection_input_of(const Problem& problem);

/// The rows of the registry that may be chosen for the problem without changing a bit of its result.
std::vector<std::size_t> candidates(const Problem& problem);

} // namespace tutti::bench
