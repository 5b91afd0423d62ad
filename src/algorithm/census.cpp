#include "algorithm/algorithms.hpp"
#include "graph/circulant.hpp"
#include "schedule/recorder.hpp"

#include <algorithm>
#include <vector>

namespace tutti::algorithm {

using schedule::Place;
using schedule::Space;

namespace {

/// Whether round k passes on the sum without the sender's own input, for skips s_0 = 1, ..., s_q = p in
/// increasing order: it does if s_{k+1} = 2 s_k - 1 (Träff et al. 2023, section III-B).
bool sends_others_only(const std::vector<int>& skips, std::size_t round) {
    return skips[round + 1] % 2 == 1;
}

} // namespace

// Invariant: after round k, `all` holds the sum of the s_{k+1} inputs from the member's own upwards, and
// `others` the same sum without the member's own, for as long as a later round needs it. A round reads the
// peer's sums of the round before while the peer computes its next ones, so each sum alternates between two
// vectors; the last `all` falls on the output.
schedule::Schedule census_allreduce(int ranks) {
    auto skips = graph::skips(ranks, graph::Skips::halving);
    std::ranges::reverse(skips);
    const std::size_t rounds = skips.size() - 1;
    const auto all_after = [&](std::size_t round) {
        return (rounds - 1 - round) % 2 == 0 ? Space::output : Space::scratch0;
    };
    const auto others_after = [&](std::size_t round) {
        return round % 2 == 0 ? Space::scratch1 : Space::scratch2;
    };
    const auto needs_others = [&](std::size_t after_round) {
        for (std::size_t round = after_round + 1; round < rounds; ++round) {
            if (sends_others_only(skips, round)) {
                return true;
            }
        }
        return false;
    };

    schedule::Recorder recorder;
    if (rounds == 0) {
        recorder.round().copy({0, Space::output, whole_vector}, {0, Space::input, whole_vector});
    }
    for (std::size_t round = 0; round < rounds; ++round) {
        const bool others_only = round > 0 && sends_others_only(skips, round);
        const int peer = (skips[round] - (others_only ? 1 : 0)) % ranks;
        const Space sent = round == 0    ? Space::input
                           : others_only ? others_after(round - 1)
                                         : all_after(round - 1);
        const Place received{peer, sent, whole_vector};
        const Place all{0, round == 0 ? Space::input : all_after(round - 1), whole_vector};
        recorder.round().reduce({0, all_after(round), whole_vector}, all, received);
        if (!needs_others(round)) {
            continue;
        }
        const Place others{0, others_after(round), whole_vector};
        if (round == 0) {
            recorder.copy(others, received);
        } else {
            recorder.reduce(others, {0, others_after(round - 1), whole_vector}, received);
        }
    }
    return {Collective::allreduce, ranks, 1, schedule::Symmetry::rotation, {recorder.take()}};
}

} // namespace tutti::algorithm
