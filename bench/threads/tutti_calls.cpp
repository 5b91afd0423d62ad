#include "threads/tutti_calls.hpp"

#include "measure/buffer.hpp"
#include "measure/by_collective.hpp"
#include "measure/data.hpp"
#include "measure/types.hpp"

#include <tutti/all_buffers.hpp>
#include <tutti/bindings.hpp>
#include <tutti/operators.hpp>
#include <tutti/team.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace tutti::bench {

namespace {

using Calls = std::function<void(std::size_t)>;

/// Vectors of elements that are known when this is compiled, or at run time.
template <class Vector>
struct Operands {
    Vector in;
    Vector out;
};

/// The arguments with which call(caller, operands, options) is repeated. The options are made once; a caller
/// in a loop would do the same.
struct Repeated {
    Member& me;
    std::string algorithm;
};

/// Calls that block.
struct Blocking : Repeated {
    template <class Vector, class Call>
    Calls operator()(const Operands<Vector>& operands, Call call) const {
        return [self = *this, operands, call](std::size_t calls) {
            const Options options{.algorithm = self.algorithm};
            for (std::size_t i = 0; i < calls; ++i) {
                call(self.me, operands, options);
            }
        };
    }
};

using DynamicOperands = Operands<DynamicVector>;

/// Calls that are started.
struct Starting : Repeated {
    Calling calling;
    /// Bytes from the vectors of one call to those of the next that is in flight with it.
    std::size_t spacing;

    template <class Call>
    Calls operator()(const DynamicOperands& operands, Call call) const {
        if (calling.way == Calling::Way::persistent) {
            return persistent(operands, call);
        }
        return calling.in_flight > 1 ? in_flight(operands, call) : started(operands, call);
    }

private:
    template <class Call>
    Calls started(const DynamicOperands& operands, Call call) const {
        return [self = *this, operands, call](std::size_t calls) {
            const Options options{.algorithm = self.algorithm};
            for (std::size_t i = 0; i < calls; ++i) {
                call(self.me.start, operands, options).wait();
            }
        };
    }

    /// As many as are to be in flight are started, then waited for.
    template <class Call>
    Calls in_flight(const DynamicOperands& operands, Call call) const {
        std::vector<DynamicOperands> places;
        for (std::size_t i = 0; i < calling.in_flight; ++i) {
            places.push_back({moved(operands.in, i * spacing), moved(operands.out, i * spacing)});
        }
        return [self = *this, places, call](std::size_t calls) {
            const Options options{.algorithm = self.algorithm};
            std::vector<Request> requests;
            requests.reserve(places.size());
            for (std::size_t left = calls; left > 0; left -= requests.size()) {
                requests.clear();
                while (requests.size() < std::min(left, places.size())) {
                    requests.push_back(call(self.me.start, places[requests.size()], options));
                }
                wait_all(requests);
            }
        };
    }

    static DynamicVector moved(const DynamicVector& vector, std::size_t bytes) {
        return {vector.type(), static_cast<std::byte*>(vector.data()) + bytes, vector.size()};
    }

    template <class Call>
    Calls persistent(const DynamicOperands& operands, Call call) const {
        const Options options{.algorithm = algorithm};
        return repeated([prepared = std::make_shared<Persistent>(call(me.prepare, operands, options))] {
            prepared->start();
            prepared->wait();
        });
    }
};

/// Calls of a rank that is only a name.
struct AtAsyncGroup {
    AsyncGroup& meeting;
    int rank;

    template <class Call>
    Calls operator()(const DynamicOperands& operands, Call call) const {
        return [self = *this, operands, call](std::size_t calls) {
            AsyncRank me = self.meeting.at(self.rank);
            for (std::size_t i = 0; i < calls; ++i) {
                call(me, operands, Options{}).wait();
            }
        };
    }
};

template <class Repeat, class Vector, class Op>
Calls calls_of(const Repeat& repeat, const Problem& problem, const Operands<Vector>& operands, const Op& op) {
    return with_call_of(problem.collective, [&](auto make) -> Calls {
        return repeat(operands, [=, in_place = problem.in_place, number = problem.number()](
                                    auto& caller, const auto& v, const Options& options) {
            return in_place ? make(caller, op, number, options, v.out)
                            : make(caller, op, number, options, v.in, v.out);
        });
    });
}

/// For all types and operators. Finding these at run time costs a call some 15 ns; compiling the calls for
/// each pair would take longer than the rest of the library.
template <class Repeat>
Calls dynamic_calls(const Repeat& repeat, const Problem& problem, int rank, std::byte* input,
                    std::byte* output) {
    const Operands<DynamicVector> operands{.in = {problem.type, input, problem.input_elements(rank)},
                                           .out = {problem.type, output, problem.vector_elements(rank)}};
    return calls_of(repeat, problem, operands, DynamicOp(problem.op));
}

/// For sums, and for what is only moved, of elements of this type.
template <class T>
Calls typed_calls(const Blocking& blocking, const Problem& problem, std::byte* input, std::byte* output) {
    const int rank = blocking.me.rank();
    const Operands<std::span<T>> operands{
        .in = {reinterpret_cast<T*>(input), problem.input_elements(rank)},
        .out = {reinterpret_cast<T*>(output), problem.vector_elements(rank)}};
    return calls_of(blocking, problem, operands, sum);
}

/// Calls whose result is shared, for which vectors must have a type that is known when this is compiled.
Calls shared_calls(const Blocking& blocking, const Problem& problem, std::byte* input, std::byte* output) {
    const int rank = blocking.me.rank();
    return with_type(problem.type, [&]<class T>(std::type_identity<T>) -> Calls {
        const Operands<std::span<T>> operands{
            .in = {reinterpret_cast<T*>(input), problem.input_elements(rank)},
            .out = {reinterpret_cast<T*>(output), problem.vector_elements(rank)}};
        if (problem.collective == Collective::allgather) {
            return blocking(operands, [](Member& caller, const auto& v, const Options& options) {
                caller.allgather(v.in, shared(v.out), options);
            });
        }
        return with_operator<T>(problem.op, [&](const auto& op) {
            return blocking(operands, [op](Member& caller, const auto& v, const Options& options) {
                caller.allreduce(v.in, shared(v.out), op, options);
            });
        });
    });
}

using Ranges = std::vector<std::span<double>>;

std::span<double> vector_of(std::byte* data, std::size_t elements) {
    return {reinterpret_cast<double*>(data), elements};
}

/// The calls for all ranks, as a member's: all vectors of the one that only the root has belong to a root.
struct AllBuffers {
    static void barrier(const Executor& /*by*/) {}
    static void broadcast(const auto&... call) { tutti::all_buffers::broadcast(call...); }
    static void reduce(const Ranges& in, const Ranges& out, auto op, int root, const Executor& by) {
        tutti::all_buffers::reduce(in, out[static_cast<std::size_t>(root)], op, by);
    }
    static void allreduce(const auto&... call) { tutti::all_buffers::allreduce(call...); }
    static void reduce_scatter(const auto&... call) { tutti::all_buffers::reduce_scatter(call...); }
    static void allgather(const auto&... call) { tutti::all_buffers::allgather(call...); }
    static void gather(const Ranges& in, const Ranges& out, int root, const Executor& by) {
        tutti::all_buffers::gather(in, out[static_cast<std::size_t>(root)], by);
    }
    static void scatter(const Ranges& in, const Ranges& out, int root, const Executor& by) {
        tutti::all_buffers::scatter(in[static_cast<std::size_t>(root)], out, by);
    }
    static void alltoall(const auto&... call) { tutti::all_buffers::alltoall(call...); }
    static void scan(const auto&... call) { tutti::all_buffers::scan(call...); }
    static void exscan(const auto&... call) { tutti::all_buffers::exscan(call...); }
    static void shift(const auto&... call) { tutti::all_buffers::shift(call...); }

    // There are none in place, and they are never requested.
    static void reduce(const Ranges& /*inouts*/, auto /*op*/, int /*root*/, const Executor& /*by*/) {}
    static void gather(const Ranges& /*inouts*/, int /*root*/, const Executor& /*by*/) {}
    static void scatter(const Ranges& /*inouts*/, int /*root*/, const Executor& /*by*/) {}
};

} // namespace

Calls tutti_calls(Member& me, const Problem& problem, const std::string& algorithm, std::byte* input,
                  std::byte* output, const Calling& calling) {
    if (calling.way != Calling::Way::blocking) {
        const Starting starting{{me, algorithm}, calling, spaced(problem.bytes())};
        return dynamic_calls(starting, problem, me.rank(), input, output);
    }
    const Blocking blocking{{me, algorithm}};
    if (problem.shared) {
        return shared_calls(blocking, problem, input, output);
    }
    // Plotted problems are called as most programs do.
    if ((!problem.reduces() || problem.op == Operator::sum) && is_plotted(problem.type)) {
        return with_plotted_type(problem.type, [&]<class T>(std::type_identity<T>) {
            return typed_calls<T>(blocking, problem, input, output);
        });
    }
    return dynamic_calls(blocking, problem, me.rank(), input, output);
}

Calls arriving_calls(AsyncGroup& meeting, int rank, const Problem& problem, std::byte* input,
                     std::byte* output) {
    return dynamic_calls(AtAsyncGroup{meeting, rank}, problem, rank, input, output);
}

Calls all_buffers_calls(const Problem& problem, const pass::Vectors& vectors, const Executor& executor) {
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
            AllBuffers all;
            in_place ? make(all, sum, number, executor, outs) : make(all, sum, number, executor, ins, outs);
        });
    });
}

std::string traced_calls(const TracedCall& call) {
    const Problem& problem = call.problem;
    Team team(problem.members,
              TeamOptions{.placement = Placement::parse(call.placement), .group = {.trace = Trace::steps}});
    team.run([&](Member& me) {
        Buffer input(problem.bytes());
        Buffer output(problem.bytes());
        Data(problem, me.rank()).write_input(input.data(), 0);
        const auto calls = tutti_calls(me, problem, call.algorithm, input.data(),
                                       problem.in_place ? input.data() : output.data());
        for (int i = 0; i < call.calls; ++i) {
            me.barrier();
            calls(1);
        }
    });
    return team.trace();
}

} // namespace tutti::bench
