// Types without compiled kernels: pairs, as in MPI's types for MPI_MINLOC, and long numbers.

#include "c/src/other_types.hpp"

#include <tutti/extremes.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tutti::inline TUTTI_NAMESPACE::c {

namespace {

template <class First, class Second = First>
struct Pair {
    First first;
    Second second;
};

/// Whether `a` is preferred to `b` by tutti::minloc or tutti::maxloc, with positions of any type.
template <bool lower, class T, class At>
bool wins(const Pair<T, At>& a, const Pair<T, At>& b) {
    const ValueAt<T> one{a.first, b.second < a.second ? 1 : 0};
    const ValueAt<T> other{b.first, a.second < b.second ? 1 : 0};
    return lower ? detail::is_lower(one, other) : detail::is_higher(one, other);
}

template <bool lower>
struct Chooses {
    template <class T, class At>
    Pair<T, At> operator()(const Pair<T, At>& left, const Pair<T, At>& right) const {
        return wins<lower>(right, left) ? right : left;
    }
};

/// Elements may lie at any address.
template <class T>
T element_at(const void* elements, std::size_t i) {
    T element;
    std::memcpy(&element, static_cast<const std::byte*>(elements) + i * sizeof element, sizeof element);
    return element;
}
template <class T>
void store(void* elements, std::size_t i, const T& element) {
    std::memcpy(static_cast<std::byte*>(elements) + i * sizeof element, &element, sizeof element);
}

template <class T, class Op>
void combine(const void* in, void* inout, std::size_t n, void* /*user*/) {
    for (std::size_t i = 0; i < n; ++i) {
        store(inout, i, Op()(element_at<T>(in, i), element_at<T>(inout, i)));
    }
}

/// From TUTTI_SUM on, and from TUTTI_MINLOC on.
constexpr std::size_t operators_of_numbers = TUTTI_MAXIMUM - TUTTI_SUM + 1;
constexpr std::size_t operators_of_pairs = TUTTI_MAXLOC - TUTTI_MINLOC + 1;

struct OtherType {
    tutti_type type;
    std::size_t bytes;
    DynamicOp::Function functions[operators_of_numbers + operators_of_pairs];
};

template <class T, class Op>
constexpr DynamicOp::Function function_of() {
    if constexpr (Applicable<Op, T>) {
        return &combine<T, Op>;
    } else {
        return nullptr;
    }
}

template <class T, class... Ops>
constexpr OtherType type_with(tutti_type type) {
    static_assert(sizeof...(Ops) == operators_of_numbers + operators_of_pairs);
    return {type, sizeof(T), {function_of<T, Ops>()...}};
}

/// With all operators in the order of their numbers, of which each type has those that C++ allows.
template <class T>
constexpr OtherType other_type(tutti_type type) {
    return type_with<T, Sum, Prod, Min, Max, LogicalAnd, LogicalOr, LogicalXor, BitAnd, BitOr, BitXor,
                     Minimum, Maximum, Chooses<true>, Chooses<false>>(type);
}

constexpr OtherType other_types[] = {
    other_type<Pair<float, int>>(TUTTI_FLOAT_INT), other_type<Pair<double, int>>(TUTTI_DOUBLE_INT),
    other_type<Pair<long, int>>(TUTTI_LONG_INT),   other_type<Pair<int>>(TUTTI_2INT),
    other_type<Pair<float>>(TUTTI_2FLOAT),         other_type<Pair<double>>(TUTTI_2DOUBLE),
    other_type<Pair<std::int64_t>>(TUTTI_2INT64),  other_type<long double>(TUTTI_LONG_DOUBLE),
#ifdef __SIZEOF_INT128__
    other_type<detail::Int128>(TUTTI_INT128),      other_type<detail::Unsigned128>(TUTTI_UINT128),
#endif
};

const OtherType* find(tutti_type type) {
    const auto* const found = std::ranges::find(other_types, type, &OtherType::type);
    return found != std::ranges::end(other_types) ? found : nullptr;
}

} // namespace

std::optional<Elements> elements_of_other(tutti_type type) {
    const OtherType* const found = find(type);
    return found == nullptr ? std::nullopt : std::optional(Elements{Type::other, found->bytes, 1, type});
}

DynamicOp::Function function_of_other(tutti_op op, const Elements& elements) {
    const OtherType* const found = find(elements.code);
    if (found == nullptr) {
        return nullptr;
    }
    if (op - TUTTI_SUM < operators_of_numbers) {
        return found->functions[op - TUTTI_SUM];
    }
    return is_for_pairs(op) ? found->functions[operators_of_numbers + (op - TUTTI_MINLOC)] : nullptr;
}

} // namespace tutti::inline TUTTI_NAMESPACE::c
