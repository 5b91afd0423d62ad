// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/buffers.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/detail/make_call.hpp>
#include <tutti/options.hpp>

namespace tutti::v0_1 {

namespace detail {

/// Computes the output of the call = its input op its output.
TUTTI_API void reduce_local(const Call& call);

class LocalReduction : CallMaker {
public:
    template <class InOut, class In, class Op>
    static Call of(const In& in, std::remove_reference_t<InOut>& inout, const Op& op) {
        Call made = vectors<InOut>(Collective::reduce, in, inout, Options{});
        reduction(same(made), inout, op);
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
    detail::reduce_local(detail::LocalReduction::of<InOut>(in, inout, op));
}

} // namespace tutti::v0_1
