#pragma once

#include <tutti/detail/kernels.hpp>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// The factors of a sum: each operand is multiplied by `before`, and the sum by `after`, or divided by the
/// number of its operands.
struct Scale {
    double before = 1;
    double after = 1;
    bool is_mean = false;
};

/// The compiled kernels of such sums, which round once. Their `state` is a Scale; they have no fold. As for
/// builtin(), the bits do not depend on the instruction set.
template <Type type>
TUTTI_API const Kernels& scaled_sums();
template <>
TUTTI_API const Kernels& scaled_sums<Type::f32>();
template <>
TUTTI_API const Kernels& scaled_sums<Type::f64>();
template <>
TUTTI_API const Kernels& scaled_sums<Type::f16>();
template <>
TUTTI_API const Kernels& scaled_sums<Type::bf16>();

} // namespace tutti::inline TUTTI_NAMESPACE::detail
