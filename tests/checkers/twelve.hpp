#pragma once

// The twelve collectives, on vectors that the program has before and after each of them.

#include <tutti/tutti.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace checked {

/// Ends the program where a result is wrong.
inline void require(bool holds, const char* what) {
    if (!holds) {
        std::printf("wrong: %s\n", what);
        std::exit(1);
    }
}

/// An element of the program's own.
struct Pair {
    long low = 0;
    long high = 0;
    Pair() = default;
    explicit Pair(long value) : low(value), high(-value) {}
};

/// Its operator, which has memory of its own.
struct Add {
    std::vector<long> weights = {1, 1};
    Pair operator()(const Pair& a, const Pair& b) const {
        Pair sum;
        sum.low = a.low + weights[0] * b.low;
        sum.high = a.high + weights[1] * b.high;
        return sum;
    }
};

/// Calls for `me`, whatever the way: complete(call) makes a call and returns when it is complete. Vectors
/// have `count` elements, or as many for each rank; they are written before, and written and freed after each
/// call.
template <class T, class Caller, class Op, class Complete>
void twelve(Caller& me, std::size_t count, const Op& op, const Complete& complete) {
    const int last = me.size() - 1;
    const std::size_t all = count * static_cast<std::size_t>(me.size());
    const auto with = [&](std::size_t inputs, std::size_t outputs, const auto& call) {
        std::vector<T> in(inputs, T(me.rank() + 1));
        std::vector<T> out(outputs, T(me.rank() + 1));
        complete([&]() -> decltype(auto) { return call(in, out); });
        const T seen = out.back();
        in.assign(in.size(), seen);
        out.assign(out.size(), in.front());
    };
    with(count, count, [&](auto& in, auto& out) { return me.allreduce(in, out, op); });
    with(count, count, [&](auto& in, auto& /*out*/) { return me.allreduce(in, op); });
    with(count, count, [&](auto& in, auto& out) { return me.reduce(in, out, op, last); });
    with(all, count, [&](auto& in, auto& out) { return me.reduce_scatter(in, out, op); });
    with(count, all, [&](auto& in, auto& out) { return me.allgather(in, out); });
    with(count, all, [&](auto& in, auto& out) { return me.gather(in, out, last); });
    with(all, count, [&](auto& in, auto& out) { return me.scatter(in, out, last); });
    with(all, all, [&](auto& in, auto& out) { return me.alltoall(in, out); });
    with(count, count, [&](auto& in, auto& out) { return me.scan(in, out, op); });
    with(count, count, [&](auto& in, auto& out) { return me.exscan(in, out, op); });
    with(count, count, [&](auto& in, auto& out) { return me.shift(in, out, 1); });
    with(count, count, [&](auto& in, auto& /*out*/) { return me.broadcast(in, last); });
    with(1, 1, [&](auto& /*in*/, auto& /*out*/) { return me.barrier(); });
}

} // namespace checked
