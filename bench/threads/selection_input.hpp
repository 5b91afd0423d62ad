#pragma once

#include "choose/select.hpp"
#include "choose/table.hpp"
#include "measure/problem.hpp"

#include <cstddef>
#include <vector>

namespace tutti::bench {

/// The inputs of the library's choice of an algorithm.
struct SelectionInput {
    detail::Call call;
    engine::Selection::Input size;
};

/// The arguments of engine::select() for members that call `problem`.
SelectionInput selection_input_of(const Problem& problem);

} // namespace tutti::bench
