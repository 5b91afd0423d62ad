#include "threads/one_caller_calls.hpp"

#include <tutti/one_caller.hpp>
#include <tutti/operators.hpp>

#include <span>
#include <vector>

namespace tutti::bench {

namespace {

using Ranges = std::vector<std::span<double>>;

std::span<double> vector_of(std::byte* data, std::size_t elements) {
    return {reinterpret_cast<double*>(data), elements};
}

Calls in_place_calls(Collective collective, const Ranges& vectors, const Executor& executor) {
    const auto calls = [&](auto call) { return repeated([=] { call(vectors, executor); }); };
    switch (collective) {
    case Collective::broadcast:
        return calls([](const Ranges& all, const Executor& by) { broadcast(all, Problem::root, by); });
    case Collective::allreduce:
        return calls([](const Ranges& all, const Executor& by) { allreduce(all, sum, by); });
    case Collective::reduce_scatter:
        return calls([](const Ranges& all, const Executor& by) { reduce_scatter(all, sum, by); });
    case Collective::allgather:
        return calls([](const Ranges& all, const Executor& by) { allgather(all, by); });
    case Collective::alltoall:
        return calls([](const Ranges& all, const Executor& by) { alltoall(all, by); });
    case Collective::scan:
        return calls([](const Ranges& all, const Executor& by) { scan(all, sum, by); });
    case Collective::exscan:
        return calls([](const Ranges& all, const Executor& by) { exscan(all, sum, by); });
    case Collective::shift:
        return calls([](const Ranges& all, const Executor& by) { shift(all, Problem::distance, by); });
    default:
        return {};
    }
}

Calls separate_calls(Collective collective, const Ranges& ins, const Ranges& outs, const Executor& executor) {
    const auto calls = [&](auto call) { return repeated([=] { call(ins, outs, executor); }); };
    switch (collective) {
    case Collective::reduce:
        return calls([](auto& in, auto& out, auto& by) { reduce(in, out[Problem::root], sum, by); });
    case Collective::allreduce:
        return calls([](auto& in, auto& out, auto& by) { allreduce(in, out, sum, by); });
    case Collective::reduce_scatter:
        return calls([](auto& in, auto& out, auto& by) { reduce_scatter(in, out, sum, by); });
    case Collective::allgather:
        return calls([](auto& in, auto& out, auto& by) { allgather(in, out, by); });
    case Collective::gather:
        return calls([](auto& in, auto& out, auto& by) { gather(in, out[Problem::root], by); });
    case Collective::scatter:
        return calls([](auto& in, auto& out, auto& by) { scatter(in[Problem::root], out, by); });
    case Collective::alltoall:
        return calls([](auto& in, auto& out, auto& by) { alltoall(in, out, by); });
    case Collective::scan:
        return calls([](auto& in, auto& out, auto& by) { scan(in, out, sum, by); });
    case Collective::exscan:
        return calls([](auto& in, auto& out, auto& by) { exscan(in, out, sum, by); });
    case Collective::shift:
        return calls([](auto& in, auto& out, auto& by) { shift(in, out, Problem::distance, by); });
    default:
        return {};
    }
}

} // namespace

Calls one_caller_calls(const Problem& problem, const pass::Vectors& vectors, const Executor& executor) {
    Ranges ins;
    Ranges outs;
    for (int rank = 0; rank < problem.members; ++rank) {
        const auto own = static_cast<std::size_t>(rank);
        ins.push_back(vector_of(vectors.inputs[own], problem.input_elements(rank)));
        outs.push_back(vector_of(vectors.outputs[own], problem.vector_elements(rank)));
    }
    return problem.in_place || problem.collective == Collective::broadcast
               ? in_place_calls(problem.collective, outs, executor)
               : separate_calls(problem.collective, ins, outs, executor);
}

} // namespace tutti::bench
