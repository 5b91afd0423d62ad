#include "algorithm/algorithms.hpp"
#include "schedule/recorder.hpp"

namespace tutti::algorithm {

using schedule::Blocks;
using schedule::Collective;
using schedule::every;
using schedule::Recorder;
using schedule::Schedule;
using schedule::Space;
using schedule::Symmetry;

namespace {

constexpr Blocks own_block{0, 1};

Schedule symmetric(Collective collective, int ranks, int blocks, Recorder& recorder) {
    return {collective, ranks, blocks, Symmetry::rotation, {recorder.take()}};
}

} // namespace

Schedule direct_allreduce(int ranks) {
    Recorder recorder;
    recorder.round().reduce_every({every, Space::output, own_block}, Space::input);
    return symmetric(Collective::allreduce, ranks, ranks, recorder);
}

Schedule direct_reduce_scatter(int ranks) {
    Recorder recorder;
    recorder.round().reduce_every({0, Space::output, own_block}, Space::input);
    return symmetric(Collective::reduce_scatter, ranks, ranks, recorder);
}

Schedule direct_allgather(int ranks) {
    Recorder recorder;
    recorder.round().copy({every, Space::output, own_block}, {0, Space::input, own_block});
    return symmetric(Collective::allgather, ranks, ranks, recorder);
}

Schedule direct_barrier(int ranks) {
    Recorder recorder;
    recorder.round().reduce_every({0, Space::output, own_block}, Space::input);
    return symmetric(Collective::barrier, ranks, 1, recorder);
}

Schedule flat_allreduce(int ranks) {
    Recorder recorder;
    recorder.round().reduce_every({0, Space::output, own_block}, Space::input);
    return symmetric(Collective::allreduce, ranks, 1, recorder);
}

Schedule flat_allgather(int ranks) {
    Recorder recorder;
    recorder.round();
    for (int member = 0; member < ranks; ++member) {
        const Blocks block{member, 1};
        recorder.copy({0, Space::output, block}, {member, Space::input, block});
    }
    return symmetric(Collective::allgather, ranks, ranks, recorder);
}

} // namespace tutti::algorithm
