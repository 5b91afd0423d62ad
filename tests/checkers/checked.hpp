#pragma once

// The twelve collectives, on vectors that the program has before and after each of them.

#include "../reference/each.hpp"

#include <tutti/tasks.hpp>
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

/// Calls for `me`, whatever the way: complete(call) makes a call and returns when it is complete. Vectors are
/// written before, and read, written and freed after each call.
template <class T, class Caller, class Op, class Complete>
void twelve(Caller& me, std::size_t count, const Op& op, const Complete& complete) {
    const int last = me.size() - 1;
    const auto with = [&](const auto& call) {
        tutti::test::Operands<T> operands(me.size(), count, T(me.rank() + 1));
        complete([&]() -> decltype(auto) { return call(operands); });
        for (std::vector<T>* const each : {&operands.one, &operands.out, &operands.all, &operands.all_out}) {
            const T seen = each->back();
            each->assign(each->size(), seen);
        }
    };
    for (const tutti::Collective collective : tutti::detail::all_collectives) {
        with([&](auto& operands) { return tutti::test::call(me, collective, operands, op, last, last); });
    }
    with([&](auto& operands) { return me.allreduce(operands.one, op); });
}

} // namespace checked
