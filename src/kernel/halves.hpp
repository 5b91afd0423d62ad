#pragma once

// Lanes of 16-bit floating-point numbers. The loops of loops.hpp hold such lanes as floats: they are widened
// when they are loaded, and rounded to the nearest number, ties to even, when they are stored. So the sum of
// any number of operands in one call is rounded once. A signalling NaN becomes quiet; of a NaN's payload the
// highest bits are kept. The conversions are those of tutti/half.hpp; all instruction sets give the same
// bits. As in loops.hpp, everything has internal linkage.

#include "kernel/tiles.hpp"
#include "kernel/vector_operators.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

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

/// Each lane as an integer of another width.
template <class To, class From>
[[gnu::always_inline]] inline To resized(From from) {
    if constexpr (std::is_arithmetic_v<From>) {
        return static_cast<To>(from);
    } else {
        return __builtin_convertvector(from, To);
    }
}

/// The vectors of so many lanes.
template <std::size_t Count>
struct Lanes {
    using Halves = typename LanesOf<std::uint16_t, Count>::type;
    using Floats = typename LanesOf<float, Count>::type;
    using Bits = typename LanesOf<std::uint32_t, Count>::type;
    using Signed = typename LanesOf<std::int32_t, Count>::type; // compared in one instruction

    [[gnu::always_inline]] static Bits zero_extended(Halves halves) { return resized<Bits>(halves); }
    [[gnu::always_inline]] static Halves truncated(Bits bits) { return resized<Halves>(bits); }
};

/// 8 bits of exponent, 7 of fraction: the upper half of a float.
struct BFloat16Lane {
    template <std::size_t Count>
    [[gnu::always_inline]] static auto widened(typename Lanes<Count>::Halves halves) {
        using Of = Lanes<Count>;
        return same_bits<typename Of::Floats>(Of::zero_extended(halves) << 16);
    }

    template <std::size_t Count>
    [[gnu::always_inline]] static auto rounded(typename Lanes<Count>::Floats floats) {
        using Of = Lanes<Count>;
        using Bits = typename Of::Bits;
        const Bits bits = same_bits<Bits>(floats);
        const auto magnitude = same_bits<typename Of::Signed>(bits & 0x7fffffffU);
        const Bits nearest = bits + 0x7fffU + (bits >> 16 & 1U);
        const Bits quiet = bits | 0x400000U;
        return Of::truncated((magnitude > 0x7f800000 ? quiet : nearest) >> 16);
    }
};

/// 5 bits of exponent, 10 of fraction.
struct Float16Lane {
    template <std::size_t Count>
    [[gnu::always_inline]] static auto widened(typename Lanes<Count>::Halves halves) {
        using Of = Lanes<Count>;
#ifdef __F16C__
        if constexpr (Count >= least_by_instruction) {
            typename Of::Floats floats;
            asm("vcvtph2ps %1, %0" : "=v"(floats) : "v"(halves));
            return floats;
        }
#endif
        return widened_by_integers<Of>(Of::zero_extended(halves));
    }

    template <std::size_t Count>
    [[gnu::always_inline]] static auto rounded(typename Lanes<Count>::Floats floats) {
        using Of = Lanes<Count>;
#ifdef __F16C__
        if constexpr (Count >= least_by_instruction) {
            typename Of::Halves halves;
            asm("vcvtps2ph $0, %1, %0" : "=v"(halves) : "v"(floats));
            return halves;
        }
#endif
        return Of::truncated(rounded_by_integers<Of>(floats));
    }

private:
    /// Fewer are at the ends of buffers.
    static constexpr std::size_t least_by_instruction = 8;

    template <class Of>
    [[gnu::always_inline]] static typename Of::Floats widened_by_integers(typename Of::Bits half) {
        using Bits = typename Of::Bits;
        using Floats = typename Of::Floats;
        using Signed = typename Of::Signed;
        const Bits shifted = (half & 0x7fffU) << 13;
        const auto magnitude = same_bits<Signed>(shifted);
        const Bits normal = shifted + (112U << 23);
        // The least normal number, with the fraction of the subnormal one, less that number.
        const Bits subnormal = same_bits<Bits>(same_bits<Floats>(shifted + (113U << 23)) - 0x1p-14F);
        const Bits infinite = shifted + (224U << 23);
        const Bits quiet = infinite | 0x400000U;
        const Bits special = magnitude > (31 << 23) ? quiet : infinite;
        const Bits finite = magnitude < (1 << 23) ? subnormal : normal;
        return same_bits<Floats>((magnitude >= (31 << 23) ? special : finite) | (half & 0x8000U) << 16);
    }

    template <class Of>
    [[gnu::always_inline]] static typename Of::Bits rounded_by_integers(typename Of::Floats floats) {
        using Bits = typename Of::Bits;
        using Floats = typename Of::Floats;
        const Bits all = same_bits<Bits>(floats);
        const Bits bits = all & 0x7fffffffU;
        const auto magnitude = same_bits<typename Of::Signed>(bits);
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

/// Lanes of a format as floats, in as many vectors as they take.
template <class Format, std::size_t Count>
struct Widened {
    static constexpr std::size_t most = vector_bytes / sizeof(float);
    static constexpr std::size_t lanes_of_part = Count < most ? Count : most;
    static constexpr std::size_t parts = Count / lanes_of_part;
    using Halves = typename Lanes<lanes_of_part>::Halves;

    typename Lanes<lanes_of_part>::Floats part[parts];
};

template <class Lane>
constexpr bool is_widened = std::is_same_v<Lane, BFloat16Lane> || std::is_same_v<Lane, Float16Lane>;

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
    prefetch<Stream, Vectors * Count * sizeof(std::uint16_t)>(in, offset);
    for (std::size_t v = 0; v < Vectors; ++v) {
        for (std::size_t p = 0; p < Wide::parts; ++p) {
            const auto halves = load<typename Wide::Halves>(in, offset);
            tile[v].part[p] = Format::template widened<Wide::lanes_of_part>(halves);
            offset += sizeof halves;
        }
    }
}

template <class Whole, class Part, std::size_t... Lane>
[[gnu::always_inline]] inline Whole joined(Part lower, Part upper, std::index_sequence<Lane...> /*lanes*/) {
    return __builtin_shufflevector(lower, upper, Lane...);
}

template <bool Stream, class Format, std::size_t Count, std::size_t Vectors>
[[gnu::always_inline]] inline void store_tile(void* out, std::size_t offset,
                                              const Widened<Format, Count> (&tile)[Vectors],
                                              bool cached = false) {
    using Wide = Widened<Format, Count>;
    static_assert(Wide::parts <= 2);
    using Whole = typename LanesOf<std::uint16_t, Count>::type;
    Whole rounded[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) {
        const auto lower = Format::template rounded<Wide::lanes_of_part>(tile[v].part[0]);
        if constexpr (Wide::parts == 1) {
            rounded[v] = lower;
        } else {
            const auto upper = Format::template rounded<Wide::lanes_of_part>(tile[v].part[1]);
            rounded[v] = joined<Whole>(lower, upper, std::make_index_sequence<Count>());
        }
    }
    store_tile<Stream>(out, offset, rounded, cached);
}

} // namespace
} // namespace tutti::kernel
