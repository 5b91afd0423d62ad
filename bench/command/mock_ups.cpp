#include "command/mock_ups.hpp"

#include <array>

namespace tutti::bench {

namespace {

using Vector = std::span<double>;

/// The member's block of `whole`, which all have in equal parts.
Vector block_of(const Member& me, Vector whole) {
    const std::size_t elements = whole.size() / static_cast<std::size_t>(me.size());
    return whole.subspan(static_cast<std::size_t>(me.rank()) * elements, elements);
}

Calls reduce_and_scatter(Member& me, Vector in, Vector out) {
    const bool is_root = me.rank() == Problem::root;
    return [&me, in, out, sums = std::vector<double>(is_root ? in.size() : 0)](std::size_t calls) mutable {
        for (std::size_t call = 0; call < calls; ++call) {
            me.reduce(in, sums, sum, Problem::root);
            me.scatter(sums, out, Problem::root);
        }
    };
}

Calls reduce_scatter_and_allgather(Member& me, Vector in, Vector out) {
    return repeated([&me, in, out, block = block_of(me, out)] {
        me.reduce_scatter(in, block, sum);
        me.allgather(out);
    });
}

Calls reduce_scatter_to_the_root(Member& me, Vector in, Vector out) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(me.size()));
    counts[Problem::root] = in.size();
    return repeated([&me, in, out, counts] { me.reduce_scatter(in, out, Counts(std::span(counts)), sum); });
}

Calls scan_and_broadcast(Member& me, Vector in, Vector out) {
    return repeated([&me, in, out] {
        me.scan(in, out, sum);
        me.broadcast(out, me.size() - 1);
    });
}

/// The root's own block stays where it is.
Calls scatter_and_allgather(Member& me, Vector /*in*/, Vector out) {
    const Vector whole_or_block = me.rank() == Problem::root ? out : block_of(me, out);
    return repeated([&me, whole_or_block, out] {
        me.scatter(whole_or_block, Problem::root);
        me.allgather(out);
    });
}

constexpr std::array every_mock_up{
    MockUp{"reduce + scatter", Collective::reduce_scatter, reduce_and_scatter},
    MockUp{"reduce_scatter + allgather", Collective::allreduce, reduce_scatter_and_allgather},
    MockUp{"reduce_scatter to the root", Collective::reduce, reduce_scatter_to_the_root},
    MockUp{"scan + broadcast", Collective::allreduce, scan_and_broadcast},
    MockUp{"scatter + allgather", Collective::broadcast, scatter_and_allgather}};

} // namespace

std::span<const MockUp> mock_ups() {
    return every_mock_up;
}

} // namespace tutti::bench
