#pragma once

#include "c/src/calls.hpp"

#include <optional>

namespace tutti::inline TUTTI_NAMESPACE::c {

/// Whether `op` is TUTTI_MINLOC or TUTTI_MAXLOC, which combine pairs.
constexpr bool is_for_pairs(tutti_op op) {
    return op >= TUTTI_MINLOC && op <= TUTTI_MAXLOC;
}

/// The elements of a type without compiled kernels that has a name, such as TUTTI_DOUBLE_INT or
/// TUTTI_LONG_DOUBLE; nothing for any other type.
std::optional<Elements> elements_of_other(tutti_type type);

/// Combines elements of such a type by an operator that has a number; null if the operator is not for it.
DynamicOp::Function function_of_other(tutti_op op, const Elements& elements);

} // namespace tutti::inline TUTTI_NAMESPACE::c
