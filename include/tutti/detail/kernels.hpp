// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/association.hpp>
#include <tutti/detail/export.h>
#include <tutti/detail/types.hpp>

#include <cstddef>

namespace tutti::v0_1::detail {

/// How outputs are written. Non-temporal stores pay if the data exceed the caches, or if another CPU has read
/// the lines that are written. A call that uses them ends with a store fence, so that a later release store
/// publishes the results.
struct StoreHints {
    bool stream = false; ///< non-temporal stores
    int cached_out = -1; ///< the one output that is written through the caches even then; -1: none
    bool move = false;   ///< rep movsb, which bypasses the writer's caches; excludes `stream`

    /// The same hints, without `cached_out`.
    StoreHints to_others() const { return {.stream = stream, .move = move}; }
};

/// The fixed tree of Kernels::fold. The terms are divided into rows, and a row into lanes, one element each.
/// Rows of the compiled kernels have fold_row_bytes, all others one lane. Two nodes side by side, the left of
/// which has an even number, are the halves of a larger node; the smallest nodes are rows.
inline constexpr std::size_t fold_row_bytes = 64;
inline constexpr std::size_t fold_least_rows = 16;
/// From here on, the lanes of a compiled kernel's node are combined to one element.
inline constexpr std::size_t fold_chunk_rows = 512;

/// The inner loops of one (element type, operator) pair. `state` is the operator object of a user callable,
/// and is ignored for operators of the library. If an operator throws, the outputs are partly written.
struct Kernels {
    /// out[i] = a[i] op b[i] for i in [0, count). `a` is the left operand. `out` may be equal to `a`, `b` or
    /// both; it must not overlap them otherwise.
    void (*reduce)(const void* state, void* out, const void* a, const void* b, std::size_t count);

    /// outs[j][i] = ins[0][i] op ins[1][i] op ... for every j < outs_count and i < count, associated as
    /// requested. ins_count >= 1 (1 copies), outs_count >= 1. outs[j] may be equal to some ins[k]; it must
    /// not overlap them otherwise. One pass: every input is read once and every output is written once.
    void (*reduce_many)(const void* state, void* const* outs, int outs_count, const void* const* ins,
                        int ins_count, std::size_t count, Association association, StoreHints stores);

    /// The prefixes of `members` >= 1 buffers. Inclusive: outs[j][i] = ins[0][i] op ... op ins[j][i] for
    /// every j < members. Exclusive: outs[j][i] = ins[0][i] op ... op ins[j-1][i]; outs[0] is not written,
    /// and ins[members-1] is not read. Each prefix is associated as requested, like a reduction of the same
    /// number of buffers. One pass stores each prefix when it is formed. outs[j] may be equal to ins[j]; it
    /// must not overlap them otherwise.
    void (*scan_many)(const void* state, void* const* outs, const void* const* ins, int members,
                      std::size_t count, bool exclusive, Association association, StoreHints stores);

    /// out = the value of one node of the fixed tree, which has a power of two of rows at `in`: at most 2^30,
    /// and for compiled kernels fold_least_rows to fold_chunk_rows. The value is a row, but one element if a
    /// compiled kernel's node has fold_chunk_rows. Null for 16-bit floating-point numbers.
    void (*fold)(const void* state, void* out, const void* in, std::size_t rows);
};

/// The compiled kernels of a pair for which has_builtin() is true, in the widest instruction set of this CPU.
/// The bits do not depend on the instruction set: if both operands of a sum or product are NaN, the payload
/// of the left NaN is kept, except on RISC-V, which always produces the canonical NaN.
///
/// Each type has functions of its own, which the code of a call refers to. A program that links the static
/// library therefore contains the kernels of those types only that it reduces, and of most programs that is
/// the sum alone.
template <Type type>
TUTTI_API const Kernels& builtin(Operator op);
/// The same if op is `sum`.
template <Type type>
TUTTI_API const Kernels& builtin_sum(Operator op);
#define TUTTI_DEFINED_FOR(type)                                                                              \
    template <>                                                                                              \
    TUTTI_API const Kernels& builtin<Type::type>(Operator op);                                               \
    template <>                                                                                              \
    TUTTI_API const Kernels& builtin_sum<Type::type>(Operator op)
TUTTI_DEFINED_FOR(i8);
TUTTI_DEFINED_FOR(u8);
TUTTI_DEFINED_FOR(i16);
TUTTI_DEFINED_FOR(u16);
TUTTI_DEFINED_FOR(i32);
TUTTI_DEFINED_FOR(u32);
TUTTI_DEFINED_FOR(i64);
TUTTI_DEFINED_FOR(u64);
TUTTI_DEFINED_FOR(f32);
TUTTI_DEFINED_FOR(f64);
TUTTI_DEFINED_FOR(f16);
TUTTI_DEFINED_FOR(bf16);
TUTTI_DEFINED_FOR(complex64);
TUTTI_DEFINED_FOR(complex128);
#undef TUTTI_DEFINED_FOR

using Builtin = const Kernels& (*)(Operator op);

/// The function of a type that is known only at run time; null for `other` and for those that CMake's
/// TUTTI_TYPES leaves out. It refers to the kernels of all types that are left.
TUTTI_API Builtin builtin_of(Type type);

/// Copies `bytes` bytes from `in` to every outs[j], j < outs_count. Overlap is as for reduce_many.
TUTTI_COMPONENT_API void copy_many(void* const* outs, int outs_count, const void* in, std::size_t bytes,
                                   StoreHints stores);

/// The instruction set in use: "generic", "avx2" or "avx512". The environment variable TUTTI_ISA, read once,
/// limits it to the set that it names. Any other value is ignored.
const char* kernel_isa();

} // namespace tutti::v0_1::detail
