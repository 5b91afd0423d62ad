#include "measure/bandwidth.hpp"

namespace tutti::bench {

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
