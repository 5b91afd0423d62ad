#include "graph/circulant.hpp"

#include "algorithm/families.hpp"

#include <algorithm>

namespace tutti::algorithm {

using schedule::Action;
using schedule::Pattern;
using schedule::Symmetry;
using schedule::Transfer;

namespace {

/// The block `offset` ranks before a member's own, of which the member has a partial result until it sends it
/// on in round `sent_in`.
struct Partial {
    int offset;
    int sent_in;
};

/// The partial results of member 0, those that it keeps longest first: its own block, and one for every sum
/// of different jumps except the first, which is sent on in the round of the smallest of them. As the jumps
/// grow faster than their sums, no two sums are equal, and those with more than round k ahead are the first
/// 2^(q - 1 - k).
std::vector<Partial> partials(std::span<const int> jumps) {
    std::vector<Partial> found{{0, static_cast<int>(jumps.size())}};
    for (std::size_t round = jumps.size(); round-- > 1;) {
        const std::size_t later = found.size();
        found.reserve(2 * later);
        for (std::size_t i = 0; i < later; ++i) {
            found.push_back({found[i].offset + jumps[round], static_cast<int>(round)});
        }
    }
    return found;
}

} // namespace

Pattern circulant_allgather_pattern(int ranks, std::span<const int> skips) {
    std::vector<Transfer> received;
    const int rounds = static_cast<int>(skips.size()) - 1;
    for (int round = 0; round < rounds; ++round) {
        const int skip = skips[skips.size() - 1 - static_cast<std::size_t>(round)];
        const int next = skips[skips.size() - 2 - static_cast<std::size_t>(round)];
        received.push_back({round, skip, {skip, next - skip}, Action::copy});
    }
    return {ranks, ranks, rounds, Symmetry::rotation, {std::move(received)}};
}

// Invariant: after round k a member has, of every block that it sends on later, the sum of the s_{k+1} - 1
// inputs that follow its own, together with its own input if the round that sends the block on needs it. For
// a round that does not need it the sum starts as a copy.
Pattern circulant_uniform_pattern(int ranks) {
    auto skips = graph::skips(ranks, graph::Skips::halving);
    std::ranges::reverse(skips);
    const int rounds = static_cast<int>(skips.size()) - 1;
    const auto sends_others_only = [&](int round) {
        return round < rounds && skips[static_cast<std::size_t>(round) + 1] % 2 == 1;
    };
    std::vector<int> jumps(skips.begin(), skips.end() - 1);
    for (int round = 0; round < rounds; ++round) {
        jumps[static_cast<std::size_t>(round)] -= sends_others_only(round) ? 1 : 0;
    }
    std::vector<Partial> kept = partials(jumps);
    std::vector<Transfer> received;
    received.reserve(2 * kept.size());
    for (int round = 0; round < rounds; ++round) {
        std::erase_if(kept, [&](const Partial& partial) { return partial.sent_in <= round; });
        for (const Partial& partial : kept) {
            const bool starts = round == 0 && sends_others_only(partial.sent_in);
            received.push_back({round,
                                jumps[static_cast<std::size_t>(round)],
                                {schedule::wrap(-partial.offset, ranks), 1},
                                starts ? Action::copy : Action::combine});
        }
    }
    return {ranks, ranks, rounds, Symmetry::rotation, {std::move(received)}};
}

} // namespace tutti::algorithm
