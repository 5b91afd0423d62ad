#pragma once

#include "exam.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace tutti::test {

/// Calls that do not block.
inline void examine_started(mpi::Member& me) {
    std::vector<long> in(3000), out(in.size()), twice(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<long>(i) + me.rank();
    }
    Request first = me.start.allreduce(in, out, tutti::sum);
    Persistent second = me.prepare.scan(in, twice, tutti::sum);
    second.start();
    second.wait();
    first.wait();
    const long ranks = me.size() * (me.size() - 1) / 2;
    const long before = me.rank() * (me.rank() + 1) / 2;
    bool right = true;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const long index = static_cast<long>(i);
        right = right && out[i] == me.size() * index + ranks && twice[i] == (me.rank() + 1) * index + before;
    }
    CHECK(right);
}

inline void examine_part(mpi::Member& me, std::size_t most = 300) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{5}, most}) {
        examine(me, cluster_shapes(me.size(), count), {}, value, tutti::sum, std::plus<>());
    }
    examine(me, only(cluster_shapes(me.size(), 7), combines), {}, map, tutti::non_commutative(compose),
            compose);
    examine(me, only(cluster_shapes(me.size(), 7), combines), {.order = Order::serial}, real, tutti::sum,
            std::plus<>(), detail::Association::left);
    examine_started(me);
    CHECK(me.local().allreduce(1, tutti::sum) == me.local().size());
}

} // namespace tutti::test
