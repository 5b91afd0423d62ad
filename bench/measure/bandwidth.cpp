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
    switch (collective) {
    case Collective::allreduce:
        return 2 * (n - 1) / n;
    case Collective::reduce_scatter:
    case Collective::allgather:
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall:
        return (n - 1) / n;
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::shift:
        return 1;
    case Collective::barrier:
        break;
    }
    return std::nullopt;
}

std::optional<double> bus_bandwidth(const Problem& problem, double us) {
    const std::optional<double> algbw = algorithm_bandwidth(problem, us);
    const std::optional<double> factor = bus_factor(problem.collective, problem.members);
    return algbw && factor ? std::optional(*algbw * *factor) : std::nullopt;
}

} // namespace tutti::bench
