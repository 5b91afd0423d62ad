// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/counts.hpp>
#include <tutti/detail/buffers.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/template_loops.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace tutti::v0_1::detail {

/// The ways of calling: whether a call is complete when it returns, and whether all members are threads of
/// one process.
struct BlockingWay {
    static constexpr bool blocks = true;
    static constexpr bool in_one_process = true;
};

template <class Way>
concept Blocking = Way::blocks;

template <class Way, class T, class Op>
concept ReturnedReduction = Blocking<Way> && OneReduction<T, Op>;

template <class Way, class In, class T>
concept ResizedOutput = Blocking<Way> && Vectors<In, std::add_lvalue_reference_t<std::vector<T>>>;

/// left op right, for one element and an operator that combines it.
template <class T, class Op>
T combined(const Op& op, const T& left, T right) {
    static_assert(!is_one_pass<T, Op>,
                  "an operator that accumulates cannot combine an initial value with its "
                  "results: call exscan without it, and combine the two as you need it");
    if constexpr (std::is_same_v<Op, Operator>) {
        builtin<type_of<T>()>(op).reduce(nullptr, &right, &left, &right, 1);
        return right;
    } else {
        return static_cast<T>(op(left, right));
    }
}

/// Names a type, so that members can compare element types of the program.
template <class T>
struct Elements {};

/// How members of any kind make a Call from their arguments. `Options` are those of their calls.
/// Functions that complete a call pass on the call that they are given, because copying it would take longer
/// than the rest of a small call.
class CallMaker {
protected:
    /// The call itself, not a copy.
    static Call&& same(Call& call) noexcept { return static_cast<Call&&>(call); }

    template <class Options>
    static Call call(Collective collective, const Options& options) {
        return {.collective = collective,
                .type = Type::u8,
                .order = options.order,
                .algorithm = options.algorithm,
                .timeout = options.timeout,
                .where = options.where};
    }

    /// `Out` is the type of the program's argument: an lvalue reference, or a plain type for a temporary.
    template <class Out, class In, class Options>
    static Call vectors(Collective collective, const In& in, std::remove_reference_t<Out>& out,
                        const Options& options) {
        refuse_operand<In>();
        refuse_lost_result<Out>();
        refuse_other_element<In&, Out&>();
        using T = element_t<Out&>;
        const auto input = view(in);
        const auto output = view(out);
        Call made = call(collective, options);
        made.type = type_of<T>();
        made.element_bytes = sizeof(T);
        made.element_align = alignof(T);
        if constexpr (type_of<T>() == Type::other && !Dynamic<Out>) {
            made.types = &typeid(Elements<T>);
        }
        if constexpr (Dynamic<Out>) {
            made.type = output.type();
            made.element_bytes = output.element_bytes();
            made.element_align = output.element_align();
            require_same_elements(made, input);
        }
        if (is_strided(in)) {
            made.reject(Wrong::strided_input);
        }
        if (is_strided(out)) {
            made.reject(Wrong::strided_output);
        }
        made.input = input.data();
        made.output =
            const_cast<void*>(static_cast<const void*>(output.data())); // refuse_... has rejected const
        made.input_count = input.size();
        made.output_count = output.size();
        return made;
    }

    /// `returns` is true if the call has a form that takes an object by value and returns its result.
    template <class InOut, bool returns = false, class Options>
    static Call in_place(Collective collective, std::remove_reference_t<InOut>& inout,
                         const Options& options) {
        static_assert(!returns || !RangeOrObject<std::remove_cvref_t<InOut>>,
                      "the argument is a range and an object: pass std::span(x) to replace its elements in "
                      "place, or wrap it in a struct to pass it by value");
        static_assert(!Scalar<InOut>, "one object is no buffer in place: pass another for the result, as in "
                                      "start.allreduce(mine, all, op), or std::span(&object, 1)");
        Call made = vectors<InOut>(collective, inout, inout, options);
        made.in_place = true;
        return made;
    }

    /// Compares element types that are known only at run time.
    template <class In>
    static void require_same_elements(Call& call, const In& in) {
        if (in.type() != call.type || in.element_bytes() != call.element_bytes) {
            call.input_type = in.type();
            call.input_element_bytes = in.element_bytes();
            call.reject(Wrong::other_elements);
        }
    }

    /// reduction() for dynamic vectors of elements T.
    template <class T, class Op>
    static Call&& dynamic_reduction(Call&& call, const Op& op) {
        call.op = op.op();
        call.commutative = op.commutative();
        call.state = &op;
        if (call.op != Operator::callable) {
            set_builtin(call, builtin_of(call.type));
            return same(call);
        }
        if (op.element_bytes() != call.element_bytes) {
            call.reject(Wrong::operator_of_elements);
        }
        call.kernels = &LoopsOf<T, Op>::type::kernels;
        call.keeping = &keeping_of<Op>;
        call.function = reinterpret_cast<std::uintptr_t>(op.function());
        return same(call);
    }

    /// Rejects the call if the library has no kernels for it.
    static void set_builtin(Call& call, Builtin of_type) {
        if (has_builtin(call.type, call.op)) {
            call.builtin = of_type;
        }
        if (call.builtin == nullptr) {
            call.reject(Wrong::operator_of_type);
        }
    }

    template <class Out, class Op>
    static Call&& reduction(Call&& call, Out& /*out*/, const Op& op) {
        if constexpr (std::is_same_v<Op, Operator>) {
            refuse_operator_of<Out&, Op>();
            call.op = op < Operator::callable ? op : Operator::callable;
            if constexpr (Dynamic<Out>) {
                set_builtin(call, builtin_of(call.type));
            } else {
                set_builtin(call, &builtin<type_of<element_t<Out&>>()>);
            }
            return same(call);
        } else if constexpr (Dynamic<Out>) {
            return dynamic_reduction<element_t<Out&>>(same(call), op);
        } else {
            refuse_operator_of<Out&, Op>();
            return static_reduction<element_t<Out&>>(same(call), op);
        }
    }

    template <class T, class Op>
    static Call&& static_reduction(Call&& call, const Op& op) {
        using Own = Reducer<T, Op>;
        if constexpr (!std::is_same_v<Own, Op>) {
            static constexpr Own own{};
            return static_reduction<T>(same(call), own);
        }
        call.op = operator_of<Op>();
        call.commutative = commutes<Op, T>;
        call.one_pass_operator = is_one_pass<T, Op>;
        if constexpr (Sendable<T> && combines_elements<Op, T> && !has_builtin_kernels<T, Op>) {
            using Loops = typename LoopsOf<T, Op>::type;
            call.kernels = &Loops::kernels;
            if constexpr (std::is_copy_constructible_v<Op>) {
                call.keeping = &keeping_of<Op>;
            }
            call.types = &typeid(Loops);
        } else if constexpr (has_builtin_kernels<T, Op>) {
            if constexpr (operator_of<Op>() == Operator::sum) {
                call.builtin = &builtin_sum<type_of<T>()>;
            } else {
                call.builtin = &builtin<type_of<T>()>;
            }
        }
        if constexpr (std::is_pointer_v<Op>) {
            call.function = reinterpret_cast<std::uintptr_t>(op);
        }
        if (is_empty_operator(op)) {
            call.reject(Wrong::empty_operator);
        }
        call.state = &op;
        return same(call);
    }

    static Call&& rooted(Call&& call, int root) {
        call.root = root;
        return same(call);
    }

    /// `counts` must live until the call has been made.
    static Call&& irregular(Call&& call, const Counts::View& counts) {
        call.counts = &counts;
        return same(call);
    }
};

} // namespace tutti::v0_1::detail
