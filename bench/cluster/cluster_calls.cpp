#include "cluster/cluster_calls.hpp"

#include "measure/by_collective.hpp"

#include <span>

namespace tutti::bench {

bool is_measured(Collective collective) {
    return collective == Collective::allreduce || collective == Collective::reduce_scatter ||
           collective == Collective::allgather || collective == Collective::broadcast ||
           collective == Collective::reduce;
}

void call_cluster(mpi::Member& me, const Problem& problem, const Options& options, const double* in,
                  double* out) {
    const std::span from(in, problem.input_elements(me.rank()));
    const std::span to(out, problem.output_elements(me.rank()));
    if (problem.shared) {
        problem.collective == Collective::allreduce ? me.allreduce(from, shared(to), tutti::sum, options)
                                                    : me.allgather(from, shared(to), options);
        return;
    }
    call_by_collective(me, problem.collective, tutti::sum, Problem::root, options, from, to);
}

} // namespace tutti::bench
