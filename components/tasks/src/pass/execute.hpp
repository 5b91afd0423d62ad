#pragma once

#include "tasks/src/pass/pass.hpp"

#include <tutti/detail/kernels.hpp>

#include <cstddef>
#include <vector>

namespace tutti::pass {

/// The treatment of elements by passes. Only reductions and scans use the operator's kernels and state, and
/// its association.
struct Elements {
    std::size_t bytes = 1;
    const detail::Kernels* kernels = nullptr;
    const void* state = nullptr;
    detail::Association association = detail::Association::tree;
    detail::StoreHints stores = {};
};

/// Makes the pass.
void execute(const Pass& pass, const Elements& elements);

/// `elements` elements of a pass, from `first` on.
Pass part(const Pass& pass, std::size_t first, std::size_t elements, std::size_t element_bytes);

/// Passes and their elements.
struct Work {
    std::vector<Pass> passes = {};
    Elements elements = {};
};

/// The bytes that the passes read and write.
std::size_t touched_bytes(const Work& work);

/// Slice `index` of `slices` that touch about as many bytes each. All of them together are the work; they
/// touch different elements. The more they are, the fewer elements has each, none if there are not enough.
void carry_out_slice(const Work& work, std::size_t index, std::size_t slices);

} // namespace tutti::pass
