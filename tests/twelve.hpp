#pragma once

// The twelve collectives, by number, for tests that make them all.

#include <cstddef>
#include <vector>

namespace tutti::test {

inline constexpr int collectives = 12;

/// Of them, those in which nobody waits for the last member.
inline constexpr int scan = 9;
inline constexpr int exscan = 10;

/// Vectors of `count` elements, and of as many for each rank.
template <class T>
struct Operands {
    std::vector<T> one;
    std::vector<T> out;
    std::vector<T> all;
    std::vector<T> all_out;

    Operands(int ranks, std::size_t count, const T& value = T(1))
        : one(count, value), out(count), all(count * static_cast<std::size_t>(ranks), value),
          all_out(all.size()) {}
};

/// Makes one of them for `me`, whoever that is and whatever its calls return. Vectors go out from rank
/// `from`, and results to rank `to`.
template <class Me, class T, class Op, class... Options>
auto call(Me& me, int collective, Operands<T>& operands, const Op& op, int from, int to,
          const Options&... options) {
    auto& [one, out, all, all_out] = operands;
    switch (collective) {
    case 0:
        return me.barrier(options...);
    case 1:
        return me.broadcast(one, from, options...);
    case 2:
        return me.reduce(one, out, op, to, options...);
    case 3:
        return me.allreduce(one, out, op, options...);
    case 4:
        return me.reduce_scatter(all, out, op, options...);
    case 5:
        return me.allgather(one, all_out, options...);
    case 6:
        return me.gather(one, all_out, to, options...);
    case 7:
        return me.scatter(all, out, from, options...);
    case 8:
        return me.alltoall(all, all_out, options...);
    case scan:
        return me.scan(one, out, op, options...);
    case exscan:
        return me.exscan(one, out, op, options...);
    default: // which members of clusters have not
        if constexpr (requires { me.shift(operands.one, operands.out, 1, options...); }) {
            return me.shift(one, out, 1, options...);
        }
    }
}

} // namespace tutti::test
