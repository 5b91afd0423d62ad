#include "algorithm/algorithms.hpp"
#include "graph/circulant.hpp"
#include "schedule/recorder.hpp"

#include <algorithm>

namespace tutti::algorithm {

using schedule::Space;

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

} // namespace tutti::algorithm
