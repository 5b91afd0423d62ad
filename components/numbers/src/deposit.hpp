#pragma once

// The loops that split terms into parts for the bins of a reproducible sum. As in loops.hpp, everything has
// internal linkage and calls nothing that might be emitted elsewhere.

#include "kernel/tiles.hpp"
#include "numbers/src/deposits.hpp"

#include <tutti/reproducible.hpp>

#include <utility>

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace tutti::kernel {
namespace {

using Doubles [[gnu::vector_size(vector_bytes)]] = double;
using Integers [[gnu::vector_size(vector_bytes)]] = std::int64_t;
using Words [[gnu::vector_size(vector_bytes)]] = std::uint64_t;
constexpr std::size_t lanes = vector_bytes / sizeof(double); // NOLINT(misc-definitions-in-headers)

/// Loads lanes, as double.
template <class T>
[[gnu::always_inline]] inline Doubles load(const T* from) {
    using Elements [[gnu::vector_size(lanes * sizeof(T))]] = T;
    Elements loaded;
    __builtin_memcpy(&loaded, from, sizeof loaded);
    Doubles made = __builtin_convertvector(loaded, Doubles);
#if defined(__AVX512F__)
    asm("" : "+v"(made)); // once: an operand in memory costs a load in each of its uses
#elif defined(__x86_64__)
    asm("" : "+x"(made));
#endif
    return made;
}

/// The first lanes, fewer than all; the others are 0. No copy in memory: a vector that is loaded right behind
/// stores of its parts waits for them.
template <class T, std::size_t... Lane>
[[gnu::always_inline]] inline Doubles load_first(const T* from, std::size_t count,
                                                 std::index_sequence<Lane...> /*lanes*/) {
#if defined(__AVX512F__)
    const auto mask = static_cast<unsigned char>((1U << count) - 1);
    if constexpr (sizeof(T) == sizeof(float)) {
        return __builtin_convertvector(_mm256_maskz_loadu_ps(mask, from), Doubles);
    } else {
        return _mm512_maskz_loadu_pd(mask, from);
    }
#else
    return Doubles{(Lane < count ? static_cast<double>(from[Lane]) : 0)...};
#endif
}

/// Adds x, rounded to a multiple of the unit, to the nearest one, and ties towards 0; so the part of x does
/// not depend on the sum. 2^52 <= sum < 2^53 units, before and after. An addition would round ties to even
/// sums.
[[gnu::always_inline]] inline Doubles plus_rounded(Doubles x, Doubles sum) {
    // A fused multiply-add by 1 - 2^-53: the product, which is not rounded, is less than an ulp of x nearer
    // to 0 than x is. So no tie is left, and no x that was beyond a tie comes before it.
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(x, _mm512_set1_pd(1 - 0x1p-53), sum);
#elif defined(__AVX2__) && defined(__FMA__)
    return _mm256_fmadd_pd(x, _mm256_set1_pd(1 - 0x1p-53), sum);
#else
    // If the last bit of x is 0, as in a tie, the number before it towards 0. 0 has none.
    auto is_not_zero = reinterpret_cast<Words>(x != 0);
#if defined(__x86_64__)
    asm("" : "+x"(is_not_zero)); // so that GCC keeps the mask instead of testing each lane
#endif
    return sum + reinterpret_cast<Doubles>(((reinterpret_cast<Words>(x) - 1) | 1) & is_not_zero);
#endif
}

/// The greater magnitude in each lane. A NaN may be lost.
[[gnu::always_inline]] inline Doubles greater_magnitude(Doubles greatest, Doubles x) {
#if defined(__AVX512DQ__)
    constexpr int magnitudes_without_sign = 0b1011;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" // a macro without optimisation
    return _mm512_range_pd(greatest, x, magnitudes_without_sign);
#pragma GCC diagnostic pop
#else
    const auto magnitude =
        reinterpret_cast<Doubles>(reinterpret_cast<Integers>(x) & ~(std::int64_t{1} << 63U));
    return greatest > magnitude ? greatest : magnitude;
#endif
}

/// The lanes at a distance.
template <std::size_t distance, std::size_t... Lane>
[[gnu::always_inline]] inline Words exchanged(Words words, std::index_sequence<Lane...> /*lanes*/) {
    return __builtin_shufflevector(words, words, (Lane ^ distance)...);
}

/// Combines all lanes in pairs, which takes fewer instructions than one lane after another.
template <std::size_t distance = lanes / 2, class Op>
[[gnu::always_inline]] inline std::uint64_t over_lanes(Words words, Op op) {
    const Words pairs = op(words, exchanged<distance>(words, std::make_index_sequence<lanes>()));
    if constexpr (distance == 1) {
        return pairs[0];
    } else {
        return over_lanes<distance / 2>(pairs, op);
    }
}

template <std::size_t Fold>
struct Deposit {
    /// Vectors side by side, so that additions need not wait for each other: as many as registers hold.
    static constexpr std::size_t side_by_side = Fold == 2 || vector_bytes == 64 ? 4 : 2;
    static constexpr std::size_t per_round = lanes * side_by_side;
    /// Each part is at most 2^(bin_bits - 1) units, and the sums are 2^51 units from both ends. The rest
    /// of the terms is one more round.
    static constexpr std::size_t most_rounds = 60;
    static_assert(most_rounds + 1 < std::size_t{1} << (51 - (detail::bin_bits - 1)));

    Doubles start[Fold]; // 1.5 * 2^52 units
    Doubles sums[Fold][side_by_side];
    Doubles greatest[2] = {};
    Words totals[Fold] = {};
    Integers not_a_number = {};

    [[gnu::always_inline]] explicit Deposit(std::uint64_t limit) {
        // The limit is 2^(bin_bits - 1) units.
        constexpr std::uint64_t one = std::uint64_t{1} << 52U; // in the exponent field
        std::uint64_t bits = limit + (52 - detail::bin_bits + 1) * one + one / 2;
#pragma GCC unroll 3
        for (std::size_t k = 0; k < Fold; ++k) {
            start[k] = reinterpret_cast<Doubles>(Words{} + bits);
            bits -= detail::bin_bits * one;
        }
        restart();
    }

    [[gnu::always_inline]] void restart() {
#pragma GCC unroll 3
        for (std::size_t k = 0; k < Fold; ++k) {
#pragma GCC unroll 4
            for (std::size_t place = 0; place < side_by_side; ++place) {
                sums[k][place] = start[k];
            }
        }
    }

    [[gnu::always_inline]] void add(Doubles x, std::size_t place) {
        greatest[place % 2] = greater_magnitude(greatest[place % 2], x);
#pragma GCC unroll 3
        for (std::size_t k = 0; k < Fold; ++k) {
            const Doubles before = sums[k][place];
            sums[k][place] = plus_rounded(x, before);
            x -= sums[k][place] - before;
        }
    }

    /// Moves the sums to the totals: as bits, the difference to the start is the number of units.
    [[gnu::always_inline]] void flush() {
#pragma GCC unroll 3
        for (std::size_t k = 0; k < Fold; ++k) {
#pragma GCC unroll 4
            for (std::size_t place = 0; place < side_by_side; ++place) {
                totals[k] += reinterpret_cast<Words>(sums[k][place]) - reinterpret_cast<Words>(start[k]);
            }
        }
        Doubles all = {}; // NaN if a term is
#pragma GCC unroll 4
        for (std::size_t place = 0; place < side_by_side; ++place) {
            all += sums[0][place];
        }
        not_a_number |= all != all;
        restart();
    }

    [[gnu::always_inline]] Deposited result() const {
        const Doubles greatest_of_lanes = greater_magnitude(greatest[0], greatest[1]);
        Deposited made{{}, 0};
#pragma GCC unroll 3
        for (std::size_t k = 0; k < Fold; ++k) {
            made.parts[k] = over_lanes(
                totals[k], [](Words x, Words y) __attribute__((always_inline)) { return x + y; });
        }
        made.greatest = over_lanes(
            reinterpret_cast<Words>(greatest_of_lanes) | (reinterpret_cast<Words>(not_a_number) >> 1U),
            [](Words x, Words y) __attribute__((always_inline)) { return x > y ? x : y; });
        return made;
    }

    template <bool Products, class T>
    [[gnu::always_inline]] void add(const T* a, const T* b, std::size_t place) {
        const Doubles x = load(a);
        add(Products ? x * load(b) : x, place);
    }

    /// Less than a round: each place gets a vector at most.
    template <bool Products, class T>
    [[gnu::always_inline]] void rest(const T* a, const T* b, std::size_t count) {
#pragma GCC unroll 3
        for (std::size_t place = 0; place + 1 < side_by_side; ++place) {
            if (count >= lanes) {
                add<Products>(a, b, place);
                a += lanes;
                b += lanes;
                count -= lanes;
            }
        }
        if (count != 0) {
            const Doubles x = load_first(a, count, std::make_index_sequence<lanes>());
            add(Products ? x * load_first(b, count, std::make_index_sequence<lanes>()) : x, side_by_side - 1);
        }
    }

    template <class T, bool Products>
    static Deposited run(const void* first, const void* second, std::size_t count, std::uint64_t limit) {
        const T* a = static_cast<const T*>(first);
        const T* b = static_cast<const T*>(Products ? second : first);
        Deposit deposit(limit);
        while (count != 0) {
            const std::size_t rounds = count / per_round < most_rounds ? count / per_round : most_rounds;
            for (std::size_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 4
                for (std::size_t place = 0; place < side_by_side; ++place) {
                    deposit.add<Products>(a + place * lanes, b + place * lanes, place);
                }
                a += per_round;
                b += per_round;
            }
            count -= rounds * per_round;
            if (count < per_round) {
                deposit.rest<Products>(a, b, count);
                count = 0;
            }
            deposit.flush();
        }
        return deposit.result();
    }
};

template <std::size_t Fold>
constexpr DepositLoops deposits_of{
    {&Deposit<Fold>::template run<double, false>, &Deposit<Fold>::template run<double, true>},
    {&Deposit<Fold>::template run<float, false>, &Deposit<Fold>::template run<float, true>}};

} // namespace
} // namespace tutti::kernel

#define TUTTI_DEPOSITS(isa)                                                                                  \
    template <>                                                                                              \
    const tutti::kernel::DepositLoops& tutti::kernel::deposits<tutti::kernel::Isa::isa>(int fold) {          \
        return fold == 2 ? deposits_of<2> : deposits_of<3>;                                                  \
    }
