#include "threads/single_caller_calls.hpp"

#include "measure/by_collective.hpp"

#include <tutti/operators.hpp>
#include <tutti/single_caller.hpp>

#include <span>
#include <vector>

namespace tutti::bench {

namespace {

using Ranges = std::vector<std::span<double>>;

std::span<double> vector_of(std::byte* data, std::size_t elements) {
    return {reinterpret_cast<double*>(data), elements};
}

/// The calls for all ranks, as a member's: all vectors of the one that only the root has belong to a root.
struct SingleCaller {
    static void barrier(const Executor& /*by*/) {}
    static void broadcast(const auto&... call) { tutti::single_caller::broadcast(call...); }
    static void reduce(const Ranges& in, const Ranges& out, auto op, int root, const Executor& by) {
        tutti::single_caller::reduce(in, out[static_cast<std::size_t>(root)], op, by);
    }
    static void allreduce(const auto&... call) { tutti::single_caller::allreduce(call...); }
    static void reduce_scatter(const auto&... call) { tutti::single_caller::reduce_scatter(call...); }
    static void allgather(const auto&... call) { tutti::single_caller::allgather(call...); }
    static void gather(const Ranges& in, const Ranges& out, int root, const Executor& by) {
        tutti::single_caller::gather(in, out[static_cast<std::size_t>(root)], by);
    }
    static void scatter(const Ranges& in, const Ranges& out, int root, const Executor& by) {
        tutti::single_caller::scatter(in[static_cast<std::size_t>(root)], out, by);
    }
    static void alltoall(const auto&... call) { tutti::single_caller::alltoall(call...); }
    static void scan(const auto&... call) { tutti::single_caller::scan(call...); }
    static void exscan(const auto&... call) { tutti::single_caller::exscan(call...); }
    static void shift(const auto&... call) { tutti::single_caller::shift(call...); }

    // There are none in place, and they are never requested.
    static void reduce(const Ranges& /*inouts*/, auto /*op*/, int /*root*/, const Executor& /*by*/) {}
    static void gather(const Ranges& /*inouts*/, int /*root*/, const Executor& /*by*/) {}
    static void scatter(const Ranges& /*inouts*/, int /*root*/, const Executor& /*by*/) {}
};

} // namespace

Calls single_caller_calls(const Problem& problem, const pass::Vectors& vectors, const Executor& executor) {
    Ranges ins;
    Ranges outs;
    for (int rank = 0; rank < problem.members; ++rank) {
        const auto own = static_cast<std::size_t>(rank);
        ins.push_back(vector_of(vectors.inputs[own], problem.input_elements(rank)));
        outs.push_back(vector_of(vectors.outputs[own], problem.vector_elements(rank)));
    }
    const bool in_place = problem.in_place || problem.collective == Collective::broadcast;
    const detail::CollectiveTraits& traits = detail::traits_of(problem.collective);
    if (traits.in_place == detail::OneVector::never ||
        (in_place && traits.is_rooted() && traits.in_place == detail::OneVector::by_choice)) {
        return {};
    }
    return with_call_of(problem.collective, [&](auto make) {
        return repeated([=, number = problem.number()] {
            SingleCaller all;
            in_place ? make(all, sum, number, executor, outs) : make(all, sum, number, executor, ins, outs);
        });
    });
}

} // namespace tutti::bench
