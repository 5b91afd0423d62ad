#include "threads/tutti_calls.hpp"

#include "measure/types.hpp"

#include <algorithm>
#include <span>

namespace tutti::bench {

namespace {

using Calls = std::function<void(std::size_t)>;

/// Repeats one call. The options are made once; a caller in a loop would do the same.
template <class Call>
Calls repeated(const std::string& algorithm, Call call) {
    return [algorithm, call](std::size_t calls) {
        const Options options{.algorithm = algorithm};
        for (std::size_t i = 0; i < calls; ++i) {
            call(options);
        }
    };
}

/// One function object for each type and operator, whatever is done with them: they are many.
template <class T, class Op>
Calls reducing(Member& me, const Problem& problem, const std::string& algorithm, std::span<T> in,
               std::span<T> out, const Op& op) {
    const bool in_place = problem.in_place;
    switch (problem.collective) {
    case Collective::reduce:
        return repeated(algorithm, [&me, in, out, op, in_place](const Options& options) {
            in_place ? me.reduce(out, op, Problem::root, options)
                     : me.reduce(in, out, op, Problem::root, options);
        });
    case Collective::allreduce:
        if (problem.shared) {
            return repeated(algorithm, [&me, in, out, op](const Options& options) {
                me.allreduce(in, shared(out), op, options);
            });
        }
        return repeated(algorithm, [&me, in, out, op, in_place](const Options& options) {
            in_place ? me.allreduce(out, op, options) : me.allreduce(in, out, op, options);
        });
    case Collective::reduce_scatter:
        return repeated(algorithm, [&me, in, out, op, in_place](const Options& options) {
            in_place ? me.reduce_scatter(out, op, options) : me.reduce_scatter(in, out, op, options);
        });
    case Collective::scan:
        return repeated(algorithm, [&me, in, out, op, in_place](const Options& options) {
            in_place ? me.scan(out, op, options) : me.scan(in, out, op, options);
        });
    default:
        return repeated(algorithm, [&me, in, out, op, in_place](const Options& options) {
            in_place ? me.exscan(out, op, options) : me.exscan(in, out, op, options);
        });
    }
}

template <class T>
Calls moving(Member& me, const Problem& problem, const std::string& algorithm, std::span<T> in,
             std::span<T> out) {
    const bool in_place = problem.in_place;
    switch (problem.collective) {
    case Collective::broadcast:
        return repeated(algorithm,
                        [&me, out](const Options& options) { me.broadcast(out, Problem::root, options); });
    case Collective::allgather:
        if (problem.shared) {
            return repeated(algorithm, [&me, in, out](const Options& options) {
                me.allgather(in, shared(out), options);
            });
        }
        return repeated(algorithm, [&me, in, out, in_place](const Options& options) {
            in_place ? me.allgather(out, options) : me.allgather(in, out, options);
        });
    case Collective::gather:
        return repeated(algorithm, [&me, in, out, in_place](const Options& options) {
            in_place ? me.gather(out, Problem::root, options) : me.gather(in, out, Problem::root, options);
        });
    case Collective::scatter:
        return repeated(algorithm, [&me, in, out, in_place](const Options& options) {
            in_place ? me.scatter(out, Problem::root, options) : me.scatter(in, out, Problem::root, options);
        });
    case Collective::alltoall:
        return repeated(algorithm, [&me, in, out, in_place](const Options& options) {
            in_place ? me.alltoall(out, options) : me.alltoall(in, out, options);
        });
    default:
        return repeated(algorithm, [&me, in, out, in_place](const Options& options) {
            in_place ? me.shift(out, Problem::distance, options)
                     : me.shift(in, out, Problem::distance, options);
        });
    }
}

/// The elements of the vector that a member hands over as output; in place, as the only one.
std::size_t vector_elements(const Problem& problem, int rank) {
    if (problem.collective == Collective::reduce || problem.collective == Collective::exscan) {
        return problem.elements;
    }
    return problem.in_place ? std::max(problem.input_elements(rank), problem.output_elements(rank))
                            : problem.output_elements(rank);
}

} // namespace

Calls tutti_calls(Member& me, const Problem& problem, const std::string& algorithm, std::byte* input,
                  std::byte* output) {
    if (problem.collective == Collective::barrier) {
        return repeated(algorithm, [&me](const Options& options) { me.barrier(options); });
    }
    return with_type(problem.type, [&]<class T>(std::type_identity<T>) -> Calls {
        const std::span<T> in(reinterpret_cast<T*>(input), problem.input_elements(me.rank()));
        const std::span<T> out(reinterpret_cast<T*>(output), vector_elements(problem, me.rank()));
        if (problem.reduces()) {
            return with_operator<T>(
                problem.op, [&](const auto& op) { return reducing(me, problem, algorithm, in, out, op); });
        }
        return moving(me, problem, algorithm, in, out);
    });
}

} // namespace tutti::bench
