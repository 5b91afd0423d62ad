#include "algorithm/families.hpp"

namespace tutti::algorithm {

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

} // namespace tutti::algorithm
