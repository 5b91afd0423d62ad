#pragma once

// Calls of a collective that is known at run time only. For measurements and tests of all of them: the
// library has detail::Call for that.

#include <tutti/collective.hpp>

#include <stdexcept>
#include <tuple>

namespace tutti {

/// Returns visit(make) for a function object of the collective. make(caller, op, number, options, vectors...)
/// makes the call on a member, on its `start` or `prepare`, or at an async group: with the operator and with
/// the number (the root or the distance) if the collective takes them, and with input and output or, in
/// place, the one vector. A collective that has no function here is reported by an exception: it is not
/// measured.
template <class Visit>
auto with_call_of(Collective collective, Visit visit) {
    switch (collective) {
    case Collective::broadcast:
        return visit([](auto& me, const auto& /*op*/, int root, const auto& options, const auto&... vectors) {
            return me.broadcast(std::get<sizeof...(vectors) - 1>(std::tie(vectors...)), root, options);
        });
    case Collective::reduce:
        return visit([](auto& me, const auto& op, int root, const auto& options, const auto&... vectors) {
            return me.reduce(vectors..., op, root, options);
        });
    case Collective::allreduce:
        return visit([](auto& me, const auto& op, int /*none*/, const auto& options, const auto&... vectors) {
            return me.allreduce(vectors..., op, options);
        });
    case Collective::reduce_scatter:
        return visit([](auto& me, const auto& op, int /*none*/, const auto& options, const auto&... vectors) {
            return me.reduce_scatter(vectors..., op, options);
        });
    case Collective::allgather:
        return visit([](auto& me, const auto& /*op*/, int /*none*/, const auto& options,
                        const auto&... vectors) { return me.allgather(vectors..., options); });
    case Collective::gather:
        return visit([](auto& me, const auto& /*op*/, int root, const auto& options, const auto&... vectors) {
            return me.gather(vectors..., root, options);
        });
    case Collective::scatter:
        return visit([](auto& me, const auto& /*op*/, int root, const auto& options, const auto&... vectors) {
            return me.scatter(vectors..., root, options);
        });
    case Collective::alltoall:
        return visit([](auto& me, const auto& /*op*/, int /*none*/, const auto& options,
                        const auto&... vectors) { return me.alltoall(vectors..., options); });
    case Collective::scan:
        return visit([](auto& me, const auto& op, int /*none*/, const auto& options, const auto&... vectors) {
            return me.scan(vectors..., op, options);
        });
    case Collective::exscan:
        return visit([](auto& me, const auto& op, int /*none*/, const auto& options, const auto&... vectors) {
            return me.exscan(vectors..., op, options);
        });
    case Collective::shift:
        return visit([](auto& me, const auto& /*op*/, int distance, const auto& options,
                        const auto&... vectors) -> decltype(me.barrier(options)) {
            if constexpr (requires { me.shift(vectors..., distance, options); }) {
                return me.shift(vectors..., distance, options);
            } else { // members of a cluster
                throw std::invalid_argument("shift: is for the members of one process");
            }
        });
    case Collective::barrier:
        return visit([](auto& me, const auto& /*op*/, int /*none*/, const auto& options,
                        const auto&... /*none*/) { return me.barrier(options); });
    default:
        return visit([](auto& me, const auto& /*op*/, int /*number*/, const auto& options,
                        const auto&... /*vectors*/) -> decltype(me.barrier(options)) {
            throw std::invalid_argument("this collective is not measured");
        });
    }
}

/// Makes the call, and returns its result.
template <class Caller, class Op, class Options, class... Vectors>
auto call_by_collective(Caller& me, Collective collective, const Op& op, int number, const Options& options,
                        const Vectors&... vectors) {
    return with_call_of(collective, [&](auto make) { return make(me, op, number, options, vectors...); });
}

} // namespace tutti
