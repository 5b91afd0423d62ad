#pragma once

#include <tutti/detail/buffers.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/detail/make_call.hpp>
#include <tutti/options.hpp>

#include <cstddef>

namespace tutti {
inline namespace TUTTI_NAMESPACE {

namespace detail {

/// The names of the three buffers in error messages.
struct LocalNames {
    const char* left;
    const char* right;
    const char* out;
};
/// Computes the output of the call = its input op `right`.
TUTTI_API void reduce_local(const Call& call, const void* right, std::size_t right_count,
                            const LocalNames& names);

class LocalReduction : CallMaker {
public:
    using CallMaker::check_same_elements;

    template <class Out, class In, class Op>
    static Call of(const In& left, std::remove_reference_t<Out>& out, const Op& op) {
        Call made = vectors<Out>(Collective::reduce, left, out, Options{});
        if constexpr (Dynamic<Out>) {
            dynamic_reduction(same(made), op, "reduce_local");
        } else {
            reduction(same(made), out, op);
        }
        return made;
    }
};

} // namespace detail

/// inout[i] = in[i] op inout[i], as MPI_Reduce_local does: the calling thread combines two of its own
/// buffers, with the loops that collectives use, without other members. `in` is the left operand. Both must
/// have the same number of elements. They may be the same buffer, but must not overlap otherwise. Throws
/// ArgumentError if one of these conditions is not met.
template <class In, class InOut, class Op>
requires detail::Reduction<In, InOut, Op>
void reduce_local(In&& in, InOut&& inout, const Op& op) {
    const detail::Call made = detail::LocalReduction::of<InOut>(in, inout, op);
    detail::reduce_local(made, made.output, made.output_count, {"in", "inout", "inout"});
}

/// out[i] = left[i] op right[i]. `out` may be the same buffer as `left`, `right` or both, but must not
/// overlap them otherwise. Throws ArgumentError as above.
template <class Left, class Right, class Out, class Op>
requires detail::Reduction<Left, Out, Op> && detail::Reduction<Right, Out, Op>
void reduce_local(Left&& left, Right&& right, Out&& out, const Op& op) {
    detail::refuse_operand<std::remove_cvref_t<Right>>();
    detail::refuse_other_element<Right&, Out&>();
    const detail::Call made = detail::LocalReduction::of<Out>(left, out, op);
    const auto second = detail::view(right);
    if constexpr (detail::Dynamic<Out>) {
        detail::LocalReduction::check_same_elements(second, detail::view(out));
    }
    detail::reduce_local(made, second.data(), second.size(), {"left", "right", "out"});
}

} // namespace TUTTI_NAMESPACE
} // namespace tutti
