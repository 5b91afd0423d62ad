#pragma once

#include "pass/pass.hpp"

#include <tutti/detail/kernels.hpp>

#include <cstddef>

namespace tutti::pass {

/// Makes the pass, of elements of `element_bytes` bytes. `kernels` and `state` are the operator's, and not
/// looked at by a copy.
void carry_out(const Pass& pass, std::size_t element_bytes, const detail::Kernels* kernels, const void* state,
               detail::Stores stores);

} // namespace tutti::pass
