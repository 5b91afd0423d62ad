#pragma once

#include <tutti/detail/buffers.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/detail/make_call.hpp>
#include <tutti/options.hpp>

#include <cstddef>

namespace tutti::inline TUTTI_NAMESPACE {

namespace detail {

/// The names of the three buffers in error messages.
struct LocalNames {
    const char* left;
    const char* right;
    const char* out;
};
/// Computes the output of both calls = the input of `left` op the input of `right`.
TUTTI_API void reduce_local(const Call& left, const Call& right, const LocalNames& names);

class LocalReduction : CallMaker {
public:
    template <class Out, class In, class Op>
    static Call of(const In& in, std::remove_reference_t<Out>& out, const Op& op) {
        Call made = vectors<Out>(Collective::reduce, in, out, Options{});
        reduction(same(made), out, op);
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
    detail::reduce_local(detail::LocalReduction::of<InOut>(in, inout, op),
                         detail::LocalReduction::of<InOut>(inout, inout, op), {"in", "inout", "inout"});
}

/// out[i] = left[i] op right[i]. `out` may be the same buffer as `left`, `right` or both, but must not
/// overlap them otherwise. Throws ArgumentError as above.
template <class Left, class Right, class Out, class Op>
requires detail::Reduction<Left, Out, Op> && detail::Reduction<Right, Out, Op>
void reduce_local(Left&& left, Right&& right, Out&& out, const Op& op) {
    detail::reduce_local(detail::LocalReduction::of<Out>(left, out, op),
                         detail::LocalReduction::of<Out>(right, out, op), {"left", "right", "out"});
}

} // namespace tutti::inline TUTTI_NAMESPACE
