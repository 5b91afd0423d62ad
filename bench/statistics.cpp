#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tutti::bench {

double median_of_sorted(std::span<const double> sorted) {
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

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
    return {.median = median_of_sorted(samples),
            .ci95 = {samples[low - 1], samples[high - 1]},
            .p99 = samples[p99_rank - 1],
            .max = samples.back(),
            .count = samples.size()};
}

} // namespace tutti::bench
