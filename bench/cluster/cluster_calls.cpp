#include "cluster/cluster_calls.hpp"

#include "by_collective.hpp"

#include <span>
#include <string_view>

namespace tutti::bench {

std::string Variant::name() const {
    if (algorithm == "auto") {
        return way;
    }
    return way == "auto" ? algorithm : way + " " + algorithm;
}

std::vector<Variant> variants_of(const std::vector<std::string>& ways,
                                 const std::vector<std::string>& algorithms) {
    std::vector<Variant> variants;
    for (const std::string& way : ways) {
        for (const std::string& algorithm : algorithms) {
            variants.push_back({.way = way, .algorithm = algorithm});
        }
    }
    return variants;
}

bool is_measured(Collective collective) {
    return collective == Collective::allreduce || collective == Collective::reduce_scatter ||
           collective == Collective::allgather || collective == Collective::broadcast ||
           collective == Collective::reduce;
}

Options options_of(const Variant& variant) {
    const auto chosen = [](const std::string& name) {
        return name == "auto" ? std::string_view() : std::string_view(name);
    };
    return {.algorithm = chosen(variant.algorithm), .way = chosen(variant.way)};
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
