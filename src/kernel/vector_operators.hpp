#pragma once

// The library's operators on vectors of any width. Like the loops that use them (loops.hpp says why), they
// have internal linkage.

#include <cstddef>
#include <utility>

namespace tutti::kernel {
namespace {

struct Add {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return a + b;
    }
};

struct Multiply {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return a * b;
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
        const Vector with_real = a_real * b;
        const Vector with_imag = a_imag * b_swapped;
        return __builtin_shufflevector(with_real - with_imag, with_real + with_imag,
                                       (Lane + (Lane & 1) * sizeof...(Lane))...);
    }
};

struct Minimum {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return b < a ? b : a;
    }
};

struct Maximum {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return a < b ? b : a;
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
