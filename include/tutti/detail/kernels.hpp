#pragma once

#include <tutti/detail/association.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/operators.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace tutti::detail {

/// How outputs are written. Past the caches pays when the data do not fit into them, and where another CPU
/// has read the lines that are written; the call then ends with a store fence, so that a release store made
/// afterwards publishes the results.
struct StoreHints {
    bool stream = false; ///< past the caches
    int cached_out = -1; ///< the one output that is written through them all the same; -1: none
    bool move = false;   ///< by string moves, out of the caches of who writes; excludes `stream`

    /// The same for outputs of which none is written in another way.
    StoreHints to_others() const { return {.stream = stream, .move = move}; }
};

/// The inner loops of one (element type, operator) pair. `state` is the operator object for user callables
/// and ignored for the library's own operators. An operator that throws leaves the outputs partly written.
struct Kernels {
    /// out[i] = a[i] op b[i] for i in [0, count). `a` is the left operand. `out` may equal `a` or `b` or both
    /// exactly; other overlap is not allowed.
    void (*reduce)(const void* state, void* out, const void* a, const void* b, std::size_t count);

    /// outs[j][i] = ins[0][i] op ins[1][i] op ... for every j < outs_count and i < count, associated as
    /// asked. ins_count >= 1 (1 copies), outs_count >= 1. outs[j] may equal some ins[k] exactly; other
    /// overlap is not allowed. One pass: every input is read and every output written once.
    void (*reduce_many)(const void* state, void* const* outs, int outs_count, const void* const* ins,
                        int ins_count, std::size_t count, Association association, StoreHints stores);

    /// The prefixes of `members` >= 1 vectors. Inclusive: outs[j][i] = ins[0][i] op ... op ins[j][i] for
    /// every j < members. Exclusive: outs[j][i] = ins[0][i] op ... op ins[j-1][i]; outs[0] is not written,
    /// and ins[members-1] not read. Each prefix is associated as asked, as a reduction of so many vectors
    /// would be, in one pass that stores it as it is formed. outs[j] may equal ins[j] exactly; other overlap
    /// is not allowed.
    void (*scan_many)(const void* state, void* const* outs, const void* const* ins, int members,
                      std::size_t count, bool exclusive, Association association, StoreHints stores);
};

/// The compiled kernels of a pair, in the widest instruction set this CPU has. The same bits come out
/// whichever that is: of two NaNs meeting in a sum or product the left one's payload is kept, except on
/// RISC-V, whose every sum or product that is NaN is the canonical NaN. Throws std::invalid_argument naming
/// the type and operator where the pair makes no sense (min and max of complex numbers; logical and bitwise
/// operators on anything but integers; `other`; `callable`).
TUTTI_COMPONENT_API const Kernels& builtin(Type type, Operator op);

/// Copies `bytes` bytes from `in` to every outs[j], j < outs_count. Overlap as in reduce_many.
TUTTI_COMPONENT_API void copy_many(void* const* outs, int outs_count, const void* in, std::size_t bytes,
                                   StoreHints stores);

/// The instruction set in use: "generic", "avx2" or "avx512". The environment variable TUTTI_ISA, read once,
/// lowers it: one of these names means "at most this"; any other value makes the first use of a compiled
/// kernel throw std::invalid_argument.
std::string_view kernel_isa();

/// A few elements of a type that need not have a default constructor.
template <class T>
class PartialResults {
public:
    explicit PartialResults(int count) {
        const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
        if (bytes > sizeof few_) {
            many_ = std::make_unique<std::byte[]>(bytes);
        }
    }

    void keep(int place, const T& value) { std::memcpy(at(place), &value, sizeof value); }
    T operator[](int place) {
        std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), at(place), sizeof bytes);
        return std::bit_cast<T>(bytes);
    }

private:
    std::byte* at(int place) {
        return (many_ ? many_.get() : few_) + static_cast<std::size_t>(place) * sizeof(T);
    }

    std::byte few_[1024];
    std::unique_ptr<std::byte[]> many_;
};

/// The loops for everything that has no compiled kernel: any callable, any trivially copyable element.
template <class T, class Op>
struct TemplateLoops {
    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        const Op& op = *static_cast<const Op*>(state);
        T* const result = static_cast<T*>(out);
        const T* const left = static_cast<const T*>(a);
        const T* const right = static_cast<const T*>(b);
        for (std::size_t i = 0; i < count; ++i) {
            result[i] = op(left[i], right[i]);
        }
    }

    /// Ordinary stores, whatever `stores` says: the operator, not the memory, is the limit here.
    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            StoreHints /*stores*/) {
        const Op& op = *static_cast<const Op*>(state);
        for (std::size_t i = 0; i < count; ++i) {
            const T combined = combine(op, ins, ins_count, i, association);
            for (int destination = 0; destination < outs_count; ++destination) {
                static_cast<T*>(outs[destination])[i] = combined;
            }
        }
    }

    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association, StoreHints /*stores*/) {
        const Op& op = *static_cast<const Op*>(state);
        const int prefixes = exclusive ? members - 1 : members;
        if (prefixes == 0) {
            return;
        }
        void* const* const results = exclusive ? outs + 1 : outs;
        PartialResults<T> partial(partial_results(prefixes, association));
        for (std::size_t i = 0; i < count; ++i) {
            T prefix = static_cast<const T*>(ins[0])[i];
            partial.keep(0, prefix);
            for (int member = 1; member < prefixes; ++member) {
                // In place and exclusive, the last prefix goes where this operand lies: it is read before.
                const T operand = static_cast<const T*>(ins[member])[i];
                static_cast<T*>(results[member - 1])[i] = prefix;
                prefix = operand;
                const auto combine = [&](int place) { prefix = op(partial[place], prefix); };
                const Merges merges(member, association);
                partial.keep(merges.of_kept(combine), prefix);
                merges.of_rest(combine);
            }
            static_cast<T*>(results[prefixes - 1])[i] = prefix;
        }
    }

    static constexpr Kernels kernels{&reduce, &reduce_many, &scan_many};

private:
    static T combine(const Op& op, const void* const* ins, int count, std::size_t i,
                     Association association) {
        if (association == Association::tree && count > 2) {
            const int left = left_part(count);
            return op(combine(op, ins, left, i, association),
                      combine(op, ins + left, count - left, i, association));
        }
        T combined = static_cast<const T*>(ins[0])[i];
        for (int source = 1; source < count; ++source) {
            combined = op(combined, static_cast<const T*>(ins[source])[i]);
        }
        return combined;
    }
};

/// Whether builtin() has kernels for elements of type T under an operator of type Op that is Applicable.
template <class T, class Op>
inline constexpr bool
    has_builtin_kernels = type_of<T>() != Type::other&& operator_of<Op>() != Operator::callable;

} // namespace tutti::detail
