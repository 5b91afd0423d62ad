#pragma once

#include "pass/pass.hpp"

#include <tutti/detail/kernels.hpp>

#include <cstddef>
#include <vector>

namespace tutti::pass {

/// Makes the pass, of elements of `element_bytes` bytes. `kernels` and `state` are the operator's, and looked
/// at by reductions and scans only.
void carry_out(const Pass& pass, std::size_t element_bytes, const detail::Kernels* kernels, const void* state,
               detail::Stores stores);

/// `elements` elements of a pass, from `first` on.
Pass part(const Pass& pass, std::size_t first, std::size_t elements, std::size_t element_bytes);

/// Passes, and what their elements are.
struct Work {
    std::vector<Pass> passes = {};
    std::size_t element_bytes = 1;
    const detail::Kernels* kernels = nullptr;
    const void* state = nullptr;
    detail::Stores stores = {};
};

/// What the passes read and write.
std::size_t touched_bytes(const Work& work);

/// Slice `index` of `slices` that touch about as many bytes each. All of them together are the work; they
/// touch different elements. The more they are, the fewer elements has each, none where there are not enough.
void carry_out_slice(const Work& work, std::size_t index, std::size_t slices);

} // namespace tutti::pass
