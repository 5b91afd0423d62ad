#include "algorithm/algorithms.hpp"
#include "algorithm/rank_order.hpp"
#include "schedule/recorder.hpp"

namespace tutti::algorithm {

using schedule::Blocks;
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

/// One round, in which record(recorder, rank) records the actions of every member.
template <class Record>
Schedule rooted(Collective collective, int ranks, int blocks, int root, Record record) {
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        Recorder recorder;
        record(recorder.round(), rank);
        programs.push_back(recorder.take());
    }
    return {collective, ranks, blocks, Symmetry::none, std::move(programs), root};
}

} // namespace

Schedule direct_barrier(int ranks) {
    Recorder recorder;
    recorder.round().reduce_every({0, Space::output, own_block}, Space::input);
    return symmetric(Collective::barrier, ranks, 1, recorder);
}

Schedule direct_broadcast(int ranks, int root) {
    return rooted(Collective::broadcast, ranks, ranks, root, [root](Recorder& recorder, int rank) {
        recorder.copy({every, Space::output, {rank, 1}}, {root, Space::input, {rank, 1}});
    });
}

Schedule direct_reduce(int ranks, int root) {
    return rooted(Collective::reduce, ranks, ranks, root, [root](Recorder& recorder, int rank) {
        recorder.reduce_every({root, Space::output, {rank, 1}}, Space::input);
    });
}

Schedule direct_allreduce(int ranks) {
    Recorder recorder;
    recorder.round().reduce_every({every, Space::output, own_block}, Space::input);
    return symmetric(Collective::allreduce, ranks, ranks, recorder);
}

Schedule reduce_scatter_allgather(int ranks) {
    Recorder recorder;
    recorder.round().reduce_every({0, Space::output, own_block}, Space::input);
    recorder.round();
    for (int distance = 1; distance < ranks; ++distance) {
        const Blocks block{distance, 1};
        recorder.copy({0, Space::output, block}, {distance, Space::output, block});
    }
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

Schedule direct_gather(int ranks, int root) {
    return rooted(Collective::gather, ranks, ranks, root, [root](Recorder& recorder, int rank) {
        recorder.copy({root, Space::output, {rank, 1}}, {rank, Space::input, {rank, 1}});
    });
}

Schedule direct_scatter(int ranks, int root) {
    return rooted(Collective::scatter, ranks, ranks, root, [root](Recorder& recorder, int rank) {
        recorder.copy({rank, Space::output, {rank, 1}}, {root, Space::input, {rank, 1}});
    });
}

Schedule direct_alltoall(int ranks) {
    Recorder recorder;
    recorder.round();
    for (int member = 0; member < ranks; ++member) {
        recorder.copy({0, Space::output, {member, 1}}, {member, Space::input, {0, 1}});
    }
    return symmetric(Collective::alltoall, ranks, ranks, recorder);
}

Schedule flat_broadcast(int ranks, int root) {
    return rooted(Collective::broadcast, ranks, 1, root, [root](Recorder& recorder, int rank) {
        recorder.copy({rank, Space::output, own_block}, {root, Space::input, own_block});
    });
}

Schedule flat_allreduce(int ranks) {
    Recorder recorder;
    recorder.round().reduce_every({0, Space::output, own_block}, Space::input);
    return symmetric(Collective::allreduce, ranks, 1, recorder);
}

Schedule flat_reduce(int ranks, int root) {
    return rooted(Collective::reduce, ranks, 1, root, [root](Recorder& recorder, int rank) {
        if (rank == root) {
            recorder.reduce_every({root, Space::output, own_block}, Space::input);
        }
    });
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

Schedule flat_gather(int ranks, int root) {
    return rooted(Collective::gather, ranks, ranks, root, [ranks, root](Recorder& recorder, int rank) {
        for (int member = 0; rank == root && member < ranks; ++member) {
            recorder.copy({root, Space::output, {member, 1}}, {member, Space::input, {member, 1}});
        }
    });
}

Schedule fully_connected_reduce_scatter(int ranks) {
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        const Blocks own{rank, 1};
        const schedule::Place result{rank, Space::output, own};
        Recorder recorder(static_cast<std::size_t>(ranks), static_cast<std::size_t>(ranks));
        combine_in_rank_order(recorder, result, result, rank, ranks, [&](int member) {
            return schedule::Place{member, Space::input, own};
        });
        programs.push_back(recorder.take());
    }
    return {Collective::reduce_scatter, ranks, ranks, Symmetry::none, std::move(programs)};
}

} // namespace tutti::algorithm
