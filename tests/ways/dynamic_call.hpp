#pragma once

#include "../reference/calls.hpp"
#include "way.hpp"

namespace tutti::test {

/// A buffer of the elements; Vector is DynamicVector or DynamicInput.
template <class Vector, class Pointer>
Vector buffer_of(const ElementType& elements, Pointer data, std::size_t count) {
    return elements.type == Type::other ? Vector(elements.bytes, data, count)
                                        : Vector(elements.type, data, count);
}

/// Makes the call for `me`: whatever has the collectives of C++.
template <class Me>
auto make_dynamic_call(Me& me, const WayCall& call) {
    return make_call(
        me, call.shape, call.vectors, buffer_of<DynamicInput>(call.elements, call.in, call.in_count),
        buffer_of<DynamicVector>(call.elements, call.out, call.out_count), call.elements.op, call.options);
}

} // namespace tutti::test
