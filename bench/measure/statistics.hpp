#pragma once

#include "measure/problem.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::bench {

/// The statistics of a set of run lengths, all in the unit of the samples.
struct Summary {
    double median = 0;
    /// 95 % confidence interval of the median.
    std::pair<double, double> ci95{0, 0};
    double p99 = 0;
    double max = 0;
    std::size_t count = 0;
};

/// The ranks (1-based, from below and from above) of the order statistics that enclose the median of the
/// population with at least 95 % probability whatever its distribution: the largest l with P(B < l) <= 2.5 %
/// for B binomial (count, 1/2), and count + 1 - l. With fewer than 6 samples no two of them do; then it is
/// the first and the last.
std::pair<std::size_t, std::size_t> median_interval_ranks(std::size_t count);

/// Summarises samples in any order: median, its 95 % order-statistic interval, the 99th percentile (nearest
/// rank) and the maximum (Träff et al. 2023, section IV-A, as ReproMPI does it). All zero when there are no
/// samples.
Summary summarise(std::vector<double> samples);

/// Whether the median is unreliable: its 95 % interval is wider than `widest_interval` times the median.
inline constexpr double widest_interval = 0.25;
bool is_unstable(const Summary& summary);

/// Every k-th of the samples, in their order, with the least k that leaves at most `most`.
std::vector<double> thinned(const std::vector<double>& samples, std::size_t most);

/// The probability that samples of one distribution differ as much as `a` and `b` do, by the Mann-Whitney U
/// test: two-sided, with the normal approximation, corrected for ties and continuity. 1 where either is
/// empty. Fewer than 5 samples a side never give less than 0.01.
double mann_whitney(std::span<const double> a, std::span<const double> b);

/// The algorithm bandwidth of a run: bytes of the longest vector of a member over time, in GB/s (10^9 bytes a
/// second), as nccl-tests define it (doc/PERFORMANCE.md). Nothing for a barrier or where no time has passed.
std::optional<double> algorithm_bandwidth(const Problem& problem, double us);

/// The factor from the algorithm bandwidth to the bus bandwidth, which does not depend on the number of
/// members if links limit it (nccl-tests, doc/PERFORMANCE.md and src/*.cu): with n members 2 (n - 1) / n for
/// an allreduce; (n - 1) / n for a reduce_scatter, allgather, gather, scatter and alltoall; 1 for a
/// broadcast, reduce and shift. nccl-tests have no scan and exscan: 1, since a member has to receive a vector
/// as long as its own, as in a broadcast. A barrier moves no bytes: empty.
std::optional<double> bus_factor(Collective collective, int members);

/// The bus bandwidth, in GB/s.
std::optional<double> bus_bandwidth(const Problem& problem, double us);

} // namespace tutti::bench
