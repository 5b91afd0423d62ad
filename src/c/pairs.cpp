// A value and an int beside each other, as in MPI's types for MPI_MINLOC and MPI_MAXLOC.

#include "c/pairs.hpp"

#include "c/status.hpp"

#include <tutti/extremes.hpp>

#include <cstddef>
#include <cstring>
#include <string>

namespace tutti::inline TUTTI_NAMESPACE::c {

namespace {

template <class T>
struct Pair {
    T value;
    int at;
};

/// Elements may lie at any address.
template <class T>
Pair<T> pair_at(const void* pairs, std::size_t i) {
    Pair<T> pair;
    std::memcpy(&pair, static_cast<const std::byte*>(pairs) + i * sizeof pair, sizeof pair);
    return pair;
}

template <class T, bool lower>
void choose(const void* in, void* inout, std::size_t n, void* /*user*/) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto left = pair_at<T>(in, i);
        const auto right = pair_at<T>(inout, i);
        const ValueAt<T> a{left.value, left.at};
        const ValueAt<T> b{right.value, right.at};
        if (lower ? !detail::is_lower(b, a) : !detail::is_higher(b, a)) {
            std::memcpy(static_cast<std::byte*>(inout) + i * sizeof left, &left, sizeof left);
        }
    }
}

struct PairType {
    tutti_type type;
    std::size_t bytes;
    DynamicOp::Function minloc;
    DynamicOp::Function maxloc;
};

template <class T>
constexpr PairType pair_type(tutti_type type) {
    return {type, sizeof(Pair<T>), &choose<T, true>, &choose<T, false>};
}

constexpr PairType pair_types[] = {pair_type<float>(TUTTI_FLOAT_INT), pair_type<double>(TUTTI_DOUBLE_INT),
                                   pair_type<long>(TUTTI_LONG_INT), pair_type<int>(TUTTI_2INT)};

const PairType* find(tutti_type type) {
    for (const PairType& each : pair_types) {
        if (each.type == type) {
            return &each;
        }
    }
    return nullptr;
}

} // namespace

std::optional<Elements> pairs_of(tutti_type type) {
    const PairType* const found = find(type);
    return found == nullptr ? std::nullopt : std::optional(Elements{Type::other, found->bytes, 1, type});
}

DynamicOp pair_operator(const char* function, tutti_op op, const Elements& elements) {
    const PairType* const found = find(elements.code);
    if (found == nullptr) {
        refuse(function, "`op` is TUTTI_MINLOC or TUTTI_MAXLOC, which needs a `type` of pairs, such as "
                         "TUTTI_DOUBLE_INT");
    }
    return {op == TUTTI_MINLOC ? found->minloc : found->maxloc, nullptr, found->bytes, true};
}

} // namespace tutti::inline TUTTI_NAMESPACE::c
