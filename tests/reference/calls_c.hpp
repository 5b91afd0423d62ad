#pragma once

#include "reference.hpp"

#include <tutti/tutti.h>

namespace tutti::test {

/// The elements and the operator of a call.
struct Elements {
    tutti_type type = 0;
    tutti_op op = 0;
};

/// The arguments of a regular call from C.
struct CallC {
    tutti_member me;
    const void* in;
    void* out;
    std::size_t count;
    tutti_type type;
    tutti_op op;
    int number;
};

/// The regular calls, in the order of the collectives.
inline constexpr std::array regular_calls_c{
    +[](const CallC& c) { return tutti_barrier(c.me); },
    +[](const CallC& c) { return tutti_broadcast(c.me, c.out, c.count, c.type, c.number); },
    +[](const CallC& c) { return tutti_reduce(c.me, c.in, c.out, c.count, c.type, c.op, c.number); },
    +[](const CallC& c) { return tutti_allreduce(c.me, c.in, c.out, c.count, c.type, c.op); },
    +[](const CallC& c) { return tutti_reduce_scatter(c.me, c.in, c.out, c.count, c.type, c.op); },
    +[](const CallC& c) { return tutti_allgather(c.me, c.in, c.out, c.count, c.type); },
    +[](const CallC& c) { return tutti_gather(c.me, c.in, c.out, c.count, c.type, c.number); },
    +[](const CallC& c) { return tutti_scatter(c.me, c.in, c.out, c.count, c.type, c.number); },
    +[](const CallC& c) { return tutti_alltoall(c.me, c.in, c.out, c.count, c.type); },
    +[](const CallC& c) { return tutti_scan(c.me, c.in, c.out, c.count, c.type, c.op); },
    +[](const CallC& c) { return tutti_exscan(c.me, c.in, c.out, c.count, c.type, c.op); },
    +[](const CallC& c) { return tutti_shift(c.me, c.in, c.out, c.count, c.type, c.number); }};
static_assert(regular_calls_c.size() == detail::collective_count);

/// Makes an irregular call from C.
template <class T>
tutti_status make_irregular_c(tutti_member me, const Shape& shape, const Vectors<T>& vectors, const void* in,
                              void* out, const Elements& elements) {
    const auto [type, op] = elements;
    const std::size_t own = shape.length(vectors.rank, vectors.rank);
    const Layout& sent = vectors.sent;
    const Layout& received = vectors.received;
    const bool gives_counts = !shape.counts_at_root || shape.is_root(vectors.rank);
    const auto counts_of = [&](const Layout& layout) {
        return gives_counts ? layout.counts.data() : nullptr;
    };
    const auto places_of = [&](const Layout& layout) {
        return shape.displaced && gives_counts ? layout.starts.data() : nullptr;
    };
    const auto counting = [&] { return shape.counts_at_root ? me : tutti_counts_on_all(me); };
    if (shape.collective == Collective::reduce_scatter) {
        return tutti_reduce_scatterv(me, in, out, sent.counts.data(), type, op);
    }
    if (shape.collective == Collective::allgather) {
        return tutti_allgatherv(me, in, own, out, counts_of(received), places_of(received), type);
    }
    if (shape.collective == Collective::gather) {
        return tutti_gatherv(counting(), in, own, out, counts_of(received), places_of(received), type,
                             shape.root);
    }
    if (shape.collective == Collective::scatter) {
        return tutti_scatterv(counting(), in, counts_of(sent), places_of(sent), out, own, type, shape.root);
    }
    return tutti_alltoallv(me, in, shape.in_place ? nullptr : sent.counts.data(),
                           shape.in_place ? nullptr : places_of(sent), out, received.counts.data(),
                           places_of(received), type);
}

/// Makes the call from C.
template <class T>
tutti_status make_call(tutti_member me, const Shape& shape, const Vectors<T>& vectors, const void* input,
                       void* out, const Elements& elements) {
    const void* const in = shape.in_place ? TUTTI_IN_PLACE : input;
    if (shape.is_irregular()) {
        return make_irregular_c(me, shape, vectors, in, out, elements);
    }
    return regular_calls_c[static_cast<std::size_t>(shape.collective)](
        {me, in, out, shape.count, elements.type, elements.op, shape.root});
}

} // namespace tutti::test
