#pragma once

// The library's operators on vectors of any width. Like the loops that use them (see loops.hpp), they have
// internal linkage.

#include "kernel/left_first.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tutti::kernel {
namespace {

struct Add {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return sum_of(a, b);
    }
};

struct Multiply {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return product_of(a, b);
    }
};

/// Lanes (2k, 2k + 1) hold one complex number: (ac - bd, ad + bc).
struct MultiplyComplex {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return apply(a, b, std::make_index_sequence<sizeof(Vector) / sizeof(a[0])>{});
    }

private:
    template <class Vector, std::size_t... Lane>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b, std::index_sequence<Lane...> /*lanes*/) {
        const Vector a_real = __builtin_shufflevector(a, a, (Lane & ~std::size_t{1})...);
        const Vector a_imag = __builtin_shufflevector(a, a, (Lane | 1)...);
        const Vector b_swapped = __builtin_shufflevector(b, b, (Lane ^ 1)...);
        return difference_and_sum_of(product_of(a_real, b), product_of(a_imag, b_swapped),
                                     std::index_sequence<Lane...>());
    }
};

struct Min {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return b < a ? b : a;
    }
};

struct Max {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return a < b ? b : a;
    }
};

/// The places of floating-point numbers in the order in which minimum and maximum choose (place_of in
/// tutti/detail/numbers.hpp), for lanes that hold the bits of the numbers as signed integers.
template <bool nan_is_least, int fraction_bits, class Vector>
[[gnu::always_inline]] inline Vector places_of(Vector bits) {
    using Lane = typename LaneOfVector<Vector>::type;
    using Unsigned = std::make_unsigned_t<Lane>;
    using Wrapping = typename VectorOf<Unsigned, sizeof(Vector)>::type;
    constexpr int sign_bit = 8 * sizeof(Lane) - 1;
    constexpr auto all_but_sign = static_cast<Lane>(~(Unsigned{1} << sign_bit));
    constexpr auto fraction = static_cast<Unsigned>((Unsigned{1} << fraction_bits) - 1U);
    const auto ordered = reinterpret_cast<Wrapping>(bits ^ ((bits >> sign_bit) & all_but_sign));
    return reinterpret_cast<Vector>(nan_is_least ? ordered + fraction : ordered - fraction);
}

template <int fraction_bits>
struct Minimum {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return places_of<true, fraction_bits>(b) < places_of<true, fraction_bits>(a) ? b : a;
    }
};

template <int fraction_bits>
struct Maximum {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return places_of<false, fraction_bits>(a) < places_of<false, fraction_bits>(b) ? b : a;
    }
};

/// Comparing vectors gives all ones or all zeros in each lane; the logical operators keep the lowest one.
struct BothNonzero {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return reinterpret_cast<Vector>((a != 0) & (b != 0)) & 1;
    }
};

struct AnyNonzero {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return reinterpret_cast<Vector>((a | b) != 0) & 1;
    }
};

struct OneNonzero {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return reinterpret_cast<Vector>((a != 0) ^ (b != 0)) & 1;
    }
};

struct And {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return a & b;
    }
};

struct Or {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return a | b;
    }
};

struct Xor {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return a ^ b;
    }
};

} // namespace
} // namespace tutti::kernel
