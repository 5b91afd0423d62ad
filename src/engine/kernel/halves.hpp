#pragma once

// Lanes of 16-bit floating-point numbers. The loops of loops.hpp hold such lanes as floats: they are widened
// when they are loaded, and rounded to the nearest number, ties to even, when they are stored. So the sum of
// any number of operands in one call is rounded once. The conversions are those of tutti/half.hpp, except
// that signalling NaN of bfloat16 stay as they are; all instruction sets give the same bits. As in loops.hpp,
// everything has internal linkage.

#include "kernel/tiles.hpp"

namespace tutti::kernel {
namespace {

/// A vector of so many lanes, or the only one.
template <class Lane, std::size_t Count>
struct LanesOf : VectorOf<Lane, Count * sizeof(Lane)> {};
template <class Lane>
struct LanesOf<Lane, 1> : std::type_identity<Lane> {};

template <class To, class From>
[[gnu::always_inline]] inline To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

/// Lanes of a format as floats, in as many vectors as the format divides them into.
template <class Format, std::size_t Count>
struct Widened {
    static constexpr std::size_t parts = Format::template parts<Count>;
    static constexpr std::size_t lanes_of_part = Count / parts;
    using Floats = typename LanesOf<float, lanes_of_part>::type;
    using Bits = typename LanesOf<std::uint32_t, lanes_of_part>::type;
    using Signed = typename LanesOf<std::int32_t, lanes_of_part>::type; // compared in one instruction
    using Rounded = typename LanesOf<std::uint16_t, Count>::type;

    Floats part[parts];
};

/// The halves of words, which in memory are lanes with even and odd numbers: so no lane changes its place.
template <class Wide>
struct Words {
    using Bits = typename Wide::Bits;

    /// part(bits of a lane) for all lanes.
    template <class Widen>
    [[gnu::always_inline]] static Wide widened(const void* in, std::size_t offset, Widen widen) {
        if constexpr (Wide::parts == 1) {
            return {{widen(Bits{load<typename Wide::Rounded>(in, offset)})}};
        } else {
            const Bits words = load<Bits>(in, offset);
            return {{widen(words & 0xffffU), widen(words >> 16)}};
        }
    }

    template <class Round>
    [[gnu::always_inline]] static typename Wide::Rounded rounded(const Wide& wide, Round round) {
        if constexpr (Wide::parts == 1) {
            return static_cast<typename Wide::Rounded>(round(wide.part[0]));
        } else {
            return same_bits<typename Wide::Rounded>(round(wide.part[0]) | round(wide.part[1]) << 16);
        }
    }
};

/// 8 bits of exponent, 7 of fraction: the upper half of a float.
struct BFloat16Lane {
    template <std::size_t Count>
    static constexpr std::size_t parts = Count == 1 ? 1 : 2;

    template <class Wide>
    [[gnu::always_inline]] static Wide widened(const void* in, std::size_t offset) {
        return Words<Wide>::widened(
            in, offset, [](auto bits) __attribute__((always_inline)) {
                return same_bits<typename Wide::Floats>(bits << 16);
            });
    }

    /// A NaN needs no care: those of operands, and those that operations make, have no lower half to round.
    template <class Wide>
    [[gnu::always_inline]] static auto rounded(const Wide& wide) {
        return Words<Wide>::rounded(
            wide, [](auto floats) __attribute__((always_inline)) {
                const auto bits = same_bits<typename Wide::Bits>(floats);
                return (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
            });
    }
};

/// 5 bits of exponent, 10 of fraction.
struct Float16Lane {
#ifdef __F16C__
    /// Fewer lanes are at the ends of buffers.
    template <std::size_t Count>
    static constexpr bool by_instruction = Count >= 8;
#else
    template <std::size_t Count>
    static constexpr bool by_instruction = false;
#endif
    template <std::size_t Count>
    static constexpr std::size_t
        parts = Count == 1 || (by_instruction<Count> && Count * sizeof(float) <= vector_bytes) ? 1 : 2;

    template <class Wide>
    [[gnu::always_inline]] static Wide widened(const void* in, std::size_t offset) {
        constexpr std::size_t lanes = Wide::lanes_of_part;
        if constexpr (by_instruction<Wide::parts * lanes>) {
            using Halves = typename LanesOf<std::uint16_t, lanes>::type;
            Wide wide;
            for (std::size_t p = 0; p < Wide::parts; ++p) {
                const auto halves = load<Halves>(in, offset + p * sizeof(Halves));
                asm("vcvtph2ps %1, %0" : "=v"(wide.part[p]) : "v"(halves));
            }
            return wide;
        } else {
            return Words<Wide>::widened(
                in, offset,
                [](auto bits) __attribute__((always_inline)) { return widened_by_integers<Wide>(bits); });
        }
    }

    template <class Wide>
    [[gnu::always_inline]] static typename Wide::Rounded rounded(const Wide& wide) {
        constexpr std::size_t lanes = Wide::lanes_of_part;
        if constexpr (by_instruction<Wide::parts * lanes>) {
            using Halves = typename LanesOf<std::uint16_t, lanes>::type;
            Halves halves[Wide::parts];
            for (std::size_t p = 0; p < Wide::parts; ++p) {
                asm("vcvtps2ph $0, %1, %0" : "=v"(halves[p]) : "v"(wide.part[p]));
            }
            if constexpr (Wide::parts == 1) {
                return halves[0];
            } else {
                return joined(halves[0], halves[1], std::make_index_sequence<2 * lanes>());
            }
        } else {
            return Words<Wide>::rounded(
                wide,
                [](auto floats) __attribute__((always_inline)) { return rounded_by_integers<Wide>(floats); });
        }
    }

private:
    template <class Part, std::size_t... Lane>
    [[gnu::always_inline]] static auto joined(Part lower, Part upper,
                                              std::index_sequence<Lane...> /*lanes*/) {
        return __builtin_shufflevector(lower, upper, Lane...);
    }

    // Called: inlined, they are most of the code of all kernels of a generic program.
    template <class Wide>
    [[gnu::noinline]] static typename Wide::Floats widened_by_integers(typename Wide::Bits half) {
        using Bits = typename Wide::Bits;
        using Floats = typename Wide::Floats;
        const Bits shifted = (half & 0x7fffU) << 13;
        const auto magnitude = same_bits<typename Wide::Signed>(shifted);
        const Bits normal = shifted + (112U << 23);
        // The least normal number, with the fraction of the subnormal one, less that number.
        const Bits subnormal = same_bits<Bits>(same_bits<Floats>(shifted + (113U << 23)) - 0x1p-14F);
        const Bits infinite = shifted + (224U << 23);
        const Bits quiet = infinite | 0x400000U;
        const Bits special = magnitude > (31 << 23) ? quiet : infinite;
        const Bits finite = magnitude < (1 << 23) ? subnormal : normal;
        return same_bits<Floats>((magnitude >= (31 << 23) ? special : finite) | (half & 0x8000U) << 16);
    }

    template <class Wide>
    [[gnu::noinline]] static typename Wide::Bits rounded_by_integers(typename Wide::Floats floats) {
        using Bits = typename Wide::Bits;
        using Floats = typename Wide::Floats;
        const Bits all = same_bits<Bits>(floats);
        const Bits bits = all & 0x7fffffffU;
        const auto magnitude = same_bits<typename Wide::Signed>(bits);
        const Bits nearest = (bits - (112U << 23) + 0xfffU + (bits >> 13 & 1U)) >> 13;
        // In a number that is 0.5 and more, the lowest bit is that of a subnormal one.
        const Bits subnormal = same_bits<Bits>(same_bits<Floats>(bits) + 0.5F) - 0x3f000000U;
        const Bits quiet = (bits >> 13 & 0x3ffU) | 0x7e00U;
        const Bits infinite = bits - bits + 0x7c00U;
        const Bits special = magnitude > 0x7f800000 ? quiet : infinite;
        const Bits finite = magnitude < 0x38800000 ? subnormal : nearest;
        return (magnitude >= 0x47800000 ? special : finite) | (all >> 16 & 0x8000U);
    }
};

template <class Lane>
constexpr bool is_widened = std::is_same_v<Lane, BFloat16Lane> || std::is_same_v<Lane, Float16Lane>;

/// Widened lanes take twice the registers.
template <class Lane>
constexpr std::size_t most_tile_bytes = is_widened<Lane> ? 4 * vector_bytes : cached_tile_bytes;

template <class Lane, std::size_t Bytes>
requires is_widened<Lane>
struct VectorOf<Lane, Bytes> {
    using type = Widened<Lane, Bytes / sizeof(std::uint16_t)>;
};

/// An operator on floats, for widened lanes.
template <class Op>
struct OnWidened {
    template <class Wide>
    [[gnu::always_inline]] static Wide apply(Wide a, const Wide& b) {
        for (std::size_t p = 0; p < Wide::parts; ++p) {
            a.part[p] = Op::apply(a.part[p], b.part[p]);
        }
        return a;
    }
};

template <bool Stream, class Format, std::size_t Count, std::size_t Vectors>
[[gnu::always_inline]] inline void load_tile(Widened<Format, Count> (&tile)[Vectors], const void* in,
                                             std::size_t offset) {
    using Wide = Widened<Format, Count>;
    prefetch<Stream, Vectors * sizeof(typename Wide::Rounded)>(in, offset);
    for (std::size_t v = 0; v < Vectors; ++v) {
        tile[v] = Format::template widened<Wide>(in, offset + v * sizeof(typename Wide::Rounded));
    }
}

template <bool Stream, class Format, std::size_t Count, std::size_t Vectors>
[[gnu::always_inline]] inline void store_tile(void* out, std::size_t offset,
                                              const Widened<Format, Count> (&tile)[Vectors],
                                              bool cached = false) {
    typename Widened<Format, Count>::Rounded rounded[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) {
        rounded[v] = Format::rounded(tile[v]);
    }
    store_tile<Stream>(out, offset, rounded, cached);
}

} // namespace
} // namespace tutti::kernel
