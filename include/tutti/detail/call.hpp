// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/collective.hpp>
#include <tutti/counts.hpp>
#include <tutti/detail/export.h>
#include <tutti/detail/kernels.hpp>
#include <tutti/detail/types.hpp>
#include <tutti/options.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <typeinfo>

namespace tutti::v0_1::detail {

/// How to copy an operator into an operation that outlives the call.
struct Keeping {
    std::size_t bytes;
    std::size_t align;
    void (*copy)(void* to, const void* from);
    void (*destroy)(void* copy) noexcept;
};

/// The Keeping of an operator that can be copied.
template <class Op>
inline constexpr Keeping keeping_of{
    sizeof(Op), alignof(Op), [](void* to, const void* from) { new (to) Op(*static_cast<const Op*>(from)); },
    [](void* copy) noexcept { static_cast<Op*>(copy)->~Op(); }};

/// An argument of the program that is wrong, as its type has shown. The library rejects the call.
enum class Wrong : std::uint8_t {
    nothing,
    strided_input,
    strided_output,
    other_elements,       ///< those of a dynamic input differ from the output's
    empty_operator,       ///< a null pointer to a function, or an empty std::function
    operator_of_type,     ///< an operator of the library that does not combine elements of this type
    no_neighbors,         ///< a Neighbors object that was moved from
    operator_of_elements, ///< a DynamicOp with a function for elements of another size; `state` points to it
};

/// One collective call of one member. The element type and the operator are reduced to a form that a compiled
/// library can process.
struct Call {
    Collective collective = Collective::barrier;
    Type type = Type::other;
    Operator op = Operator::callable;
    /// Whether operands may be combined in an order other than rank order.
    bool commutative = true;
    /// Whether the program's operator needs one pass: see needs_one_pass().
    bool one_pass_operator = false;
    /// The order of operands; it may be none of the enumerators.
    Order order = Order::canonical;
    /// The program passed one buffer, which is both input and output.
    bool in_place = false;
    /// The output is one buffer that all members share.
    bool shared_output = false;
    /// An allgather that is part of a split; error messages then call it a split.
    bool splits = false;
    Wrong wrong = Wrong::nothing;
    /// The elements of the input, if `wrong` is other_elements.
    Type input_type = Type::other;
    std::size_t input_element_bytes = 0;
    /// The root of a rooted collective, or the distance of a shift.
    int root = 0;
    const void* input = nullptr;
    void* output = nullptr;
    /// Numbers of elements at `input` and `output`. In place, both are those of the one buffer.
    std::size_t input_count = 0;
    std::size_t output_count = 0;
    std::size_t element_bytes = 1;
    std::size_t element_align = 1;
    /// The loops of an operator of the program; null: the compiled kernels of `type` and `op`.
    const Kernels* kernels = nullptr;
    /// The compiled kernels of `type`, if `op` is an operator of the library.
    Builtin builtin = nullptr;
    const void* state = nullptr;
    /// How to copy what `state` points to, if `kernels` is set and the operator can be copied.
    const Keeping* keeping = nullptr;
    /// Identifies the element type if it is not the library's own, or the types of element and operator if
    /// `kernels` is set.
    const std::type_info* types = nullptr;
    /// The address of the operator if it is a pointer to a function.
    std::uintptr_t function = 0;
    /// Irregular blocks: the number of elements of each member's block (the list may be empty); null: equal
    /// blocks. Or a graph, with or without numbers for its neighbours.
    const Counts::View* counts = nullptr;
    /// In an irregular all-to-all, the number of elements from each member; `counts` has the numbers to each.
    const Counts::View* received = nullptr;
    /// A gather or scatter with counts at the root; the other members have none.
    bool counts_at_root = false;
    std::string_view algorithm = {};
    /// Maximum time to wait for other members; empty: the group's.
    Timeout timeout = {};
    SourceLine where = {};

    std::size_t input_bytes() const { return input_count * element_bytes; }

    /// The loops of a reduction.
    const Kernels& loops() const { return kernels != nullptr ? *kernels : builtin(op); }

    /// Whether each result must be made by one call of a kernel with all its operands, because the kernel
    /// rounds, or does something else, after the last combination. A partial result is no operand then.
    bool needs_one_pass() const { return one_pass_operator || rounds_once(type, op); }

    /// Makes the library reject the call. The timeout keeps the call from the fast path, which knows no
    /// timeouts, so that a correct call need not be examined there.
    void reject(Wrong argument) {
        if (wrong == Wrong::nothing) {
            wrong = argument;
            timeout = std::chrono::milliseconds::min();
        }
    }
};

/// The source line of a member's last call. The member writes it in every call, and any thread may read it.
/// It is relaxed, because only people read it.
class CalledFrom {
public:
    /// `kind`, 0 to 3, distinguishes several kinds of calls.
    void show([[maybe_unused]] const SourceLine& where, [[maybe_unused]] unsigned kind = 0) noexcept {
#if !defined(TUTTI_SILENT) // a private option, to measure what it costs
        file_.store(where.file, std::memory_order_relaxed);
        line_.store(where.line | kind << kind_shift, std::memory_order_relaxed);
#endif
    }
    SourceLine read() const noexcept {
        const unsigned line = line_.load(std::memory_order_relaxed);
        return {file_.load(std::memory_order_relaxed), line & ((1U << kind_shift) - 1)};
    }
    unsigned kind() const noexcept {
        return line_.load(std::memory_order_relaxed) >> kind_shift;
    }

private:
    static constexpr unsigned kind_shift = 30;

    std::atomic<const char*> file_{nullptr};
    std::atomic<unsigned> line_{0};
};

/// The graph of an all-to-all among neighbours; null of every other call.
inline const Neighborhood* neighborhood_of(const Call& call) {
    return call.counts != nullptr ? call.counts->neighborhood() : nullptr;
}

/// Whether only the sender and the receiver of a block know its length and position.
inline bool exchanges(const Call& call) {
    return call.received != nullptr || call.counts_at_root ||
           (call.counts != nullptr &&
            (call.counts->has_displacements() || call.counts->neighborhood() != nullptr));
}

/// The fields of a key. The lowest bit is set, so that a key is never 0.
namespace key_fields {
inline constexpr BitField present{0, 1};
inline constexpr BitField collective{present.end(), 4};
inline constexpr BitField type{collective.end(), 4};
inline constexpr BitField op{type.end(), 4};
inline constexpr BitField in_place{op.end(), 1};
inline constexpr BitField input_count{in_place.end(), 21};
inline constexpr BitField output_count{input_count.end(), 21};
inline constexpr BitField root{output_count.end(), 8};
static_assert(collective.holds(collective_count - 1));
static_assert(type.holds(static_cast<std::uint64_t>(Type::other)));
static_assert(op.holds(static_cast<std::uint64_t>(Operator::callable)));
static_assert(root.end() == 64);
} // namespace key_fields

/// Everything about a call except its addresses, in one word. It is 0 if that is not possible: for user types
/// and operators, named algorithms and orders, timeouts, irregular blocks, neighbours, shared outputs,
/// splits, very long buffers and high roots.
inline std::uint64_t key_of(const Call& call) {
    namespace in = key_fields;
    if (call.kernels != nullptr || call.type == Type::other || !call.algorithm.empty() ||
        call.order != Order::canonical || call.timeout.has_value() || call.counts != nullptr ||
        call.counts_at_root || call.shared_output || call.splits ||
        !in::input_count.holds(call.input_count) || !in::output_count.holds(call.output_count) ||
        !in::root.holds(static_cast<unsigned>(call.root))) {
        return 0;
    }
    return in::present.in_word(1) | in::collective.in_word(static_cast<std::uint64_t>(call.collective)) |
           in::type.in_word(static_cast<std::uint64_t>(call.type)) |
           in::op.in_word(static_cast<std::uint64_t>(call.op)) |
           in::in_place.in_word(static_cast<std::uint64_t>(call.in_place)) |
           in::input_count.in_word(call.input_count) | in::output_count.in_word(call.output_count) |
           in::root.in_word(static_cast<std::uint64_t>(call.root));
}

/// The call that a key, which must not be 0, describes, without its buffers.
inline Call call_of(std::uint64_t key) {
    namespace in = key_fields;
    const auto type = static_cast<Type>(in::type.of(key));
    return {.collective = static_cast<Collective>(in::collective.of(key)),
            .type = type,
            .op = static_cast<Operator>(in::op.of(key)),
            .in_place = in::in_place.of(key) != 0,
            .root = static_cast<int>(in::root.of(key)),
            .input_count = in::input_count.of(key),
            .output_count = in::output_count.of(key),
            .element_bytes = bytes_of(type),
            .element_align = bytes_of(type)};
}

class Seat;

/// Runs `call` on the calling thread as the member at `seat`.
TUTTI_API void execute(Seat& seat, const Call& call);

/// Repeats the call that `seat` has prepared, with other addresses, if `key` shows that it is the same call
/// and the buffers alias in the same way. Otherwise it does nothing and returns false. This makes small calls
/// fast.
TUTTI_API bool execute_again(Seat& seat, std::uint64_t key, const void* input, void* output);

/// Repeats the prepared call if possible, and otherwise executes the call.
inline void execute_or_repeat(Seat& seat, const Call& call) {
    const std::uint64_t key = key_of(call);
    if (key == 0 || !execute_again(seat, key, call.input, call.output)) {
        const Call made = call; // so that only this copy is in memory
        execute(seat, made);
    }
}

/// Whether the calling thread holds its continuations, so that it calls none. Returns whether it did before.
TUTTI_API bool hold_continuations(bool holds) noexcept;
/// Calls those that are due, unless they are held.
TUTTI_API void call_continuations();

/// Makes several calls that are one call of the program: continuations are called at the end of the last.
template <class Calls>
auto as_one_call(Calls calls) {
    struct Hold {
        bool held_before = hold_continuations(true);
        ~Hold() { hold_continuations(held_before); }
    };
    auto result = [&] {
        const Hold hold;
        return calls();
    }();
    call_continuations();
    return result;
}

/// Calls work(state), in which an operator of the program runs outside of the member's calls, with the rules
/// of an operator in one: it must not make calls of the member, and if it throws, the group fails.
TUTTI_API void run_operator(Seat& seat, void (*work)(void* state), void* state);

/// The same for a function object.
template <class Runner, class Work>
void run_operator_of(Runner& seat, Work work) {
    run_operator(
        seat, [](void* state) { (*static_cast<Work*>(state))(); }, &work);
}

} // namespace tutti::v0_1::detail
