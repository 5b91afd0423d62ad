#include "model/cluster_model.hpp"

#include "cost/count.hpp"
#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tutti::laboratory {

namespace {

/// Whole vectors in q rounds, or blocks of them in 2 q, whichever takes less.
double among_us(const ClusterModel& model, int ranks, double bytes, double beta_us) {
    const cost::Linear linear{model.alpha_us, beta_us, model.gamma_us};
    const cost::Work circulant = cost::circulant_reduce_scatter(ranks) + cost::circulant_allgather(ranks);
    return std::min(cost::time(cost::butterfly_allreduce(ranks), linear, bytes),
                    cost::time(circulant, linear, bytes));
}

/// Two exchanges; every thread combines its slice of all vectors, then copies the whole result.
double inside_us(const ClusterModel& model) {
    const double slices = (model.threads + 1.0) / model.threads;
    return 2 * model.local_alpha_us + (slices + 2) * model.bytes * model.local_beta_us +
           model.bytes * model.gamma_us;
}

double wire_us(const ClusterModel& model, int nodes, double bytes) {
    return among_us(model, nodes, bytes, model.beta_us);
}

} // namespace

double leader_us(const ClusterModel& model, int nodes) {
    return inside_us(model) + wire_us(model, nodes, model.bytes);
}

double flat_us(const ClusterModel& model, int nodes) {
    const double share = std::max(1.0, static_cast<double>(model.threads) / std::max(1, model.lanes));
    return among_us(model, nodes * model.threads, model.bytes, model.beta_us * share);
}

std::string cluster_table(const ClusterModel& model, int most_nodes) {
    constexpr const char* line = "{:>7} {:>9} {:>12} {:>12}   {}\n";
    std::string text =
        fmt::format("A model, nothing here has been measured: allreduce of {}, {} threads a node\n\n",
                    bench::format_bytes(static_cast<std::size_t>(model.bytes)), model.threads);
    text += fmt::format(line, "nodes", "threads", "leader", "flat", "best");
    for (int nodes = 2; nodes <= most_nodes; nodes *= 2) {
        const double leader = leader_us(model, nodes);
        const double flat = flat_us(model, nodes);
        text += fmt::format(line, nodes, nodes * model.threads, bench::format_us(leader),
                            bench::format_us(flat), leader <= flat ? "leader" : "flat");
    }
    return text + fmt::format("\nbetween nodes {} us a message, {} ns a byte, {} lanes; inside {} us an "
                              "exchange, {} ns a byte; {} ns a byte combined\n",
                              model.alpha_us, model.beta_us * 1e3, model.lanes, model.local_alpha_us,
                              model.local_beta_us * 1e3, model.gamma_us * 1e3);
}

} // namespace tutti::laboratory
