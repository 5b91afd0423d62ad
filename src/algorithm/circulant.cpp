#include "algorithm/algorithms.hpp"
#include "schedule/place.hpp"

namespace tutti::algorithm {

using schedule::Collective;
using schedule::Pattern;
using schedule::Symmetry;
using schedule::Transfer;

Pattern circulant_allgather_pattern(int ranks, std::span<const int> skips) {
    std::vector<Transfer> received;
    const int rounds = static_cast<int>(skips.size()) - 1;
    for (int round = 0; round < rounds; ++round) {
        const int skip = skips[skips.size() - 1 - static_cast<std::size_t>(round)];
        const int next = skips[skips.size() - 2 - static_cast<std::size_t>(round)];
        received.push_back({round, skip, {skip, next - skip}, schedule::Action::copy});
    }
    return {ranks, ranks, rounds, Symmetry::rotation, {std::move(received)}};
}

schedule::Schedule circulant_allgather(int ranks, std::span<const int> skips) {
    return place(circulant_allgather_pattern(ranks, skips), Collective::allgather);
}

schedule::Schedule circulant_reduce_scatter(int ranks, std::span<const int> skips) {
    return place(dual(circulant_allgather_pattern(ranks, skips)), Collective::reduce_scatter);
}

schedule::Schedule circulant_allreduce(int ranks, std::span<const int> skips) {
    const Pattern allgather = circulant_allgather_pattern(ranks, skips);
    return place(then(dual(allgather), allgather), Collective::allreduce);
}

} // namespace tutti::algorithm
