#pragma once

#include "reference.hpp"

#include <tutti/tutti.h>

#include <cstddef>

namespace tutti::test {

/// What a call combines, and how.
struct Elements {
    tutti_type type = 0;
    tutti_op op = 0;
};

/// Makes the call from C.
template <class T>
tutti_status make_call(tutti_caller me, const Shape& shape, const Vectors<T>& vectors, const void* input,
                       void* out, const Elements& elements) {
    const auto [type, op] = elements;
    const std::size_t rank = vectors.rank;
    const void* const in = shape.in_place ? TUTTI_IN_PLACE : input;
    const int root = shape.root;
    const std::size_t n = shape.count;
    const Layout& sent = vectors.sent;
    const Layout& received = vectors.received;
    const bool gives_counts = !shape.counts_at_root || shape.is_root(rank);
    const auto counts_of = [&](const Layout& layout) {
        return gives_counts ? layout.counts.data() : nullptr;
    };
    const auto places_of = [&](const Layout& layout) {
        return shape.displaced && gives_counts ? layout.starts.data() : nullptr;
    };
    const auto counting = [&] { return shape.counts_at_root ? me : tutti_counts_on_all(me); };
    switch (shape.collective) {
    case Collective::barrier:
        return tutti_barrier(me);
    case Collective::broadcast:
        return tutti_broadcast(me, out, n, type, root);
    case Collective::reduce:
        return tutti_reduce(me, in, out, n, type, op, root);
    case Collective::allreduce:
        return tutti_allreduce(me, in, out, n, type, op);
    case Collective::reduce_scatter:
        return shape.is_irregular() ? tutti_reduce_scatterv(me, in, out, sent.counts.data(), type, op)
                                    : tutti_reduce_scatter(me, in, out, n, type, op);
    case Collective::allgather:
        return shape.is_irregular() ? tutti_allgatherv(me, in, shape.length(rank, rank), out,
                                                       counts_of(received), places_of(received), type)
                                    : tutti_allgather(me, in, out, n, type);
    case Collective::gather:
        return shape.is_irregular() ? tutti_gatherv(counting(), in, shape.length(rank, rank), out,
                                                    counts_of(received), places_of(received), type, root)
                                    : tutti_gather(me, in, out, n, type, root);
    case Collective::scatter:
        return shape.is_irregular() ? tutti_scatterv(counting(), in, counts_of(sent), places_of(sent), out,
                                                     shape.length(rank, rank), type, root)
                                    : tutti_scatter(me, in, out, n, type, root);
    case Collective::alltoall:
        if (!shape.is_irregular()) {
            return tutti_alltoall(me, in, out, n, type);
        }
        return tutti_alltoallv(me, in, shape.in_place ? nullptr : sent.counts.data(),
                               shape.in_place ? nullptr : places_of(sent), out, received.counts.data(),
                               places_of(received), type);
    case Collective::scan:
        return tutti_scan(me, in, out, n, type, op);
    case Collective::exscan:
        return tutti_exscan(me, in, out, n, type, op);
    case Collective::shift:
        break;
    }
    return tutti_shift(me, in, out, n, type, root);
}

} // namespace tutti::test
