#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tutti::bench {

std::pair<std::size_t, std::size_t> median_interval_ranks(std::size_t count) {
    constexpr double tail = 0.025;
    const double n = static_cast<double>(count);
    double below = 0; // P(B < rank + 1)
    std::size_t rank = 0;
    while (rank < count / 2) {
        const double k = static_cast<double>(rank);
        below += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                          n * std::numbers::ln2);
        if (below > tail) {
            break;
        }
        ++rank;
    }
    rank = std::max<std::size_t>(rank, 1);
    return {rank, count + 1 - rank};
}

Summary summarise(std::vector<double> samples) {
    if (samples.empty()) {
        return {};
    }
    std::ranges::sort(samples);
    const auto [low, high] = median_interval_ranks(samples.size());
    const auto p99_rank = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(samples.size())));
    const std::size_t middle = samples.size() / 2;
    return {.median = samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2,
            .ci95 = {samples[low - 1], samples[high - 1]},
            .p99 = samples[p99_rank - 1],
            .max = samples.back(),
            .count = samples.size()};
}

bool is_unstable(const Summary& summary) {
    return summary.ci95.second - summary.ci95.first > widest_interval * summary.median;
}

std::vector<double> thinned(const std::vector<double>& samples, std::size_t most) {
    const std::size_t step = std::max<std::size_t>((samples.size() + most - 1) / most, 1);
    std::vector<double> kept;
    for (std::size_t i = 0; i < samples.size(); i += step) {
        kept.push_back(samples[i]);
    }
    return kept;
}

double mann_whitney(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) {
        return 1;
    }
    std::vector<std::pair<double, bool>> all; // and whether it is one of a
    for (const double sample : a) {
        all.emplace_back(sample, true);
    }
    for (const double sample : b) {
        all.emplace_back(sample, false);
    }
    std::ranges::sort(all);
    const auto n = static_cast<double>(all.size());
    double rank_sum = 0; // of a; equal samples share the mean of their ranks
    double ties = 0;
    for (std::size_t first = 0; first < all.size();) {
        std::size_t end = first;
        std::size_t of_a = 0;
        for (; end < all.size() && all[end].first == all[first].first; ++end) {
            of_a += all[end].second ? 1U : 0U;
        }
        const auto equal = static_cast<double>(end - first);
        rank_sum += static_cast<double>(of_a) * (static_cast<double>(first + end) + 1) / 2;
        ties += equal * (equal * equal - 1);
        first = end;
    }
    const auto size_a = static_cast<double>(a.size());
    const auto size_b = static_cast<double>(b.size());
    const double u = rank_sum - size_a * (size_a + 1) / 2;
    const double variance = size_a * size_b / 12 * (n + 1 - ties / (n * (n - 1)));
    const double distance = std::max(std::abs(u - size_a * size_b / 2) - 0.5, 0.0);
    return variance > 0 ? std::erfc(distance / std::sqrt(2 * variance)) : 1;
}

std::optional<double> algorithm_bandwidth(const Problem& problem, double us) {
    if (problem.bytes() == 0 || !(us > 0)) {
        return std::nullopt;
    }
    constexpr double gb_per_s = 1e-3; // of a byte a microsecond
    return static_cast<double>(problem.bytes()) / us * gb_per_s;
}

std::optional<double> bus_factor(Collective collective, int members) {
    const double n = members;
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    if (traits.result == detail::Result::nothing) {
        return std::nullopt;
    }
    const double others = (n - 1) / n;
    return collective == Collective::allreduce ? 2 * others : traits.is_divided() ? others : 1;
}

std::optional<double> bus_bandwidth(const Problem& problem, double us) {
    const std::optional<double> algbw = algorithm_bandwidth(problem, us);
    const std::optional<double> factor = bus_factor(problem.collective, problem.members);
    return algbw && factor ? std::optional(*algbw * *factor) : std::nullopt;
}

} // namespace tutti::bench
