#pragma once

#include "c/calls.hpp"

#include <optional>

namespace tutti::inline TUTTI_NAMESPACE::c {

/// The elements of a type of a value and an int, such as TUTTI_DOUBLE_INT; nothing for any other type.
std::optional<Elements> pairs_of(tutti_type type);

/// Whether `op` is TUTTI_MINLOC or TUTTI_MAXLOC.
constexpr bool chooses_pairs(tutti_op op) {
    return op == TUTTI_MINLOC || op == TUTTI_MAXLOC;
}

/// Such an operator. Throws ArgumentError where the elements are no pairs.
DynamicOp pair_operator(const char* function, tutti_op op, const Elements& elements);

} // namespace tutti::inline TUTTI_NAMESPACE::c
