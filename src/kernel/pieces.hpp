#pragma once

// Reductions and prefixes of any number of vectors by the loop over two operands alone, piece by piece in the
// caches. Compiled once, whatever the instruction set of the loop is. Less code than the loops of loops.hpp,
// by an order of magnitude.

#include <tutti/detail/kernels.hpp>

#include <cstddef>

namespace tutti::kernel {

/// What there is of an operator: Kernels::reduce, for elements of so many bytes.
struct PairLoop {
    void (*reduce)(const void* state, void* out, const void* a, const void* b, std::size_t count);
    std::size_t element_bytes;
    /// Whatever the brackets.
    bool has_one_result;
};

/// Kernels::reduce_many.
void reduce_in_pieces(const PairLoop& loop, void* const* outs, int outs_count, const void* const* ins,
                      int ins_count, std::size_t count, detail::Brackets brackets, detail::Stores stores);

/// Kernels::scan_many.
void scan_in_pieces(const PairLoop& loop, void* const* outs, const void* const* ins, int members,
                    std::size_t count, bool exclusive, detail::Brackets brackets, detail::Stores stores);

} // namespace tutti::kernel
