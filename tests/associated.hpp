#pragma once

#include "std.hpp"

#include <tutti/detail/association.hpp>

namespace tutti::test {

/// The result of operands 0 .. count - 1, count >= 1, by the definitions of the two orders: element(k) is the
/// k-th operand.
template <class Element, class Op>
auto from_the_left(std::size_t count, Element element, const Op& op) {
    auto result = element(std::size_t{0});
    for (std::size_t k = 1; k < count; ++k) {
        result = op(result, element(k));
    }
    return result;
}

/// The result of `count` operands from `first` on.
template <class Element, class Op>
auto in_tree(std::size_t first, std::size_t count, Element element, const Op& op)
    -> decltype(element(count)) {
    if (count == 1) {
        return element(first);
    }
    std::size_t left = 1; // the largest power of two below `count`
    while (2 * left < count) {
        left *= 2;
    }
    return op(in_tree(first, left, element, op), in_tree(first + left, count - left, element, op));
}

template <class Element, class Op>
auto in_tree(std::size_t count, Element element, const Op& op) {
    return in_tree(std::size_t{0}, count, element, op);
}

template <class Element, class Op>
auto bracketed(detail::Association association, std::size_t count, Element element, const Op& op) {
    return association == detail::Association::tree ? in_tree(count, element, op)
                                                    : from_the_left(count, element, op);
}

} // namespace tutti::test
