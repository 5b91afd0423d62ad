#pragma once

#include "../../bench/measure/by_collective.hpp"
#include "reference.hpp"

#include <tutti/counts.hpp>
#include <tutti/options.hpp>

namespace tutti::test {

/// Makes the irregular call if `me` has it with these counts: Counts or CountsOnAll.
template <class Me, class Op, class Given, class... Operands>
auto make_irregular(Me& me, const Shape& shape, const Op& op, const Options& options, const Given& counts,
                    const Operands&... operands) -> decltype(me.barrier(options)) {
    const int root = shape.root;
    if (shape.collective == Collective::reduce_scatter) {
        if constexpr (requires { me.reduce_scatter(operands..., counts, op, options); }) {
            return me.reduce_scatter(operands..., counts, op, options);
        }
    } else if (shape.collective == Collective::allgather) {
        if constexpr (requires { me.allgather(operands..., counts, options); }) {
            return me.allgather(operands..., counts, options);
        }
    } else if constexpr (requires { me.gather(operands..., counts, root, options); }) {
        if (shape.collective == Collective::gather) {
            return me.gather(operands..., counts, root, options);
        }
        return me.scatter(operands..., counts, root, options);
    }
    throw std::invalid_argument(shape.describe() + ": there is no such call");
}

/// Makes the call for `me`: a member, an arriving rank, or any other that has its collectives, whatever these
/// return.
template <class Me, class T, class In, class Out, class Op>
requires requires(Me& me) {
    me.barrier();
}
auto make_call(Me& me, const Shape& shape, const Vectors<T>& vectors, In in, Out out, const Op& op,
               const Options& options = {}) {
    const auto given = [&](const Layout& layout) {
        return shape.displaced ? Counts(std::span(layout.counts), std::span(layout.starts))
                               : Counts(std::span(layout.counts));
    };
    const auto irregular = [&](const auto& counts) {
        return shape.in_place ? make_irregular(me, shape, op, options, counts, out)
                              : make_irregular(me, shape, op, options, counts, in, out);
    };
    if (!shape.is_irregular()) {
        return shape.in_place ? call_by_collective(me, shape.collective, op, shape.root, options, out)
                              : call_by_collective(me, shape.collective, op, shape.root, options, in, out);
    }
    if (shape.collective == Collective::alltoall) {
        if constexpr (requires { me.alltoall(out, given(vectors.sent), options); }) {
            return shape.in_place
                       ? me.alltoall(out, given(vectors.sent), options)
                       : me.alltoall(in, given(vectors.sent), out, given(vectors.received), options);
        }
    }
    const Layout& divided = shape.traits().gathers() ? vectors.received : vectors.sent;
    if (shape.traits().is_rooted() && !shape.counts_at_root) {
        return irregular(shape.displaced ? CountsOnAll(std::span(divided.counts), std::span(divided.starts))
                                         : CountsOnAll(std::span(divided.counts)));
    }
    return irregular(shape.counts_at_root && !shape.is_root(vectors.rank) ? Counts() : given(divided));
}

} // namespace tutti::test
