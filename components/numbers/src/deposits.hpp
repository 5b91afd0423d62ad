#pragma once

#include "kernel/table.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::kernel {

/// The result of one loop: the number of units of each bin, and the bits of the greatest magnitude, or of a
/// NaN if there was one. If that magnitude needs a higher top bin, the parts are not valid.
struct Deposited {
    std::uint64_t parts[3]; // in two's complement
    std::uint64_t greatest;
};

/// Splits at most most_deposited terms a[i], or products a[i] b[i], into multiples of the units of the bins
/// of an accumulator with this limit. Each unit is a normal double, and 2^53 of them are a double, too.
using DepositLoop = Deposited (*)(const void* a, const void* b, std::size_t count, std::uint64_t limit);
inline constexpr std::size_t most_deposited = 4096;

/// The loops for one fold; [1] is for products.
struct DepositLoops {
    DepositLoop of_double[2];
    DepositLoop of_float[2];
};

/// The loops for a fold.
template <Isa isa>
const DepositLoops& deposits(int fold);

} // namespace tutti::kernel
