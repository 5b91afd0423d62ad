#pragma once

#include <cstddef>
#include <string>

namespace tutti::laboratory {

/// The parameters of two levels, times in microseconds.
struct ClusterModel {
    int threads = 8;
    /// Threads that a node's network serves at once, each with the bandwidth of one.
    int lanes = 2;
    double bytes = 0;
    /// Between nodes: a message, a byte; anywhere: combining a byte.
    double alpha_us = 0;
    double beta_us = 0;
    double gamma_us = 0;
    /// Inside a node: an exchange, a byte read or written by one thread.
    double local_alpha_us = 0;
    double local_beta_us = 0;
};

/// The time of an allreduce on `nodes` nodes, by strategy; inside a node as the library does it, among nodes
/// by the butterfly's q rounds of whole vectors or the circulant algorithm's 2 q rounds with volume 2 (1 -
/// 1/N) (Träff 2024, Theorem 2), whichever takes less.
double leader_us(const ClusterModel& model, int nodes);
/// All threads as processes of their own, by the same algorithms, sharing their node's network.
double flat_us(const ClusterModel& model, int nodes);

/// The table of `tutti model --cluster`, for nodes up to `most_nodes`.
std::string cluster_table(const ClusterModel& model, int most_nodes);

} // namespace tutti::laboratory
