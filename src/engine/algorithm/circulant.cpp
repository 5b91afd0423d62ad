#include "algorithm/algorithms.hpp"
#include "graph/graphs.hpp"
#include "schedule/recorder.hpp"

#include <algorithm>

namespace tutti::algorithm {

using schedule::Action;
using schedule::Pattern;
using schedule::Place;
using schedule::Space;
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

/// Whether round k passes on the sum without the sender's own input, for skips s_0 = 1, ..., s_q = p in
/// increasing order: it does if s_{k+1} = 2 s_k - 1 (Träff et al. 2023, section III-B).
bool sends_others_only(const std::vector<int>& skips, std::size_t round) {
    return skips[round + 1] % 2 == 1;
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

// A barrier is the allreduce of one word that no member looks at. Invariant: before the round with skip s, a
// member knows that the s members from itself upwards have entered.
schedule::Schedule dissemination_barrier(int ranks) {
    auto skips = graph::skips(ranks, graph::Skips::halving);
    std::ranges::reverse(skips);
    skips.pop_back();
    schedule::Recorder recorder;
    recorder.round();
    if (skips.empty()) {
        recorder.copy({0, Space::output, {0, 1}}, {0, Space::input, {0, 1}});
    }
    Space known = Space::input;
    for (const int skip : skips) {
        if (known == Space::output) {
            recorder.round();
        }
        recorder.reduce({0, Space::output, {0, 1}}, {0, known, {0, 1}}, {skip, known, {0, 1}});
        known = Space::output;
    }
    return {Collective::barrier, ranks, 1, schedule::Symmetry::rotation, {recorder.take()}};
}

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
