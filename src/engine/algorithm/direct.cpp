#include "algorithm/algorithms.hpp"
#include "graph/graphs.hpp"
#include "schedule/recorder.hpp"

#include <algorithm>

namespace tutti::algorithm {

using schedule::Blocks;
using schedule::every;
using schedule::Place;
using schedule::Program;
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

Collective collective_of(Inclusion inclusion) {
    return inclusion == Inclusion::inclusive ? Collective::scan : Collective::exscan;
}

/// For each round of the hypercube and rank, whether somebody reads the sum with which the rank enters that
/// round: its partner above for the result, or either of them for a sum that is read later. Nobody reads a
/// sum after the last round.
std::vector<std::vector<char>> read_sums(int ranks, int rounds) {
    std::vector<std::vector<char>> read(static_cast<std::size_t>(rounds) + 1,
                                        std::vector<char>(static_cast<std::size_t>(ranks), 0));
    for (int round = rounds - 1; round >= 0; --round) {
        const auto& later = read[static_cast<std::size_t>(round) + 1];
        for (int rank = 0; rank < ranks; ++rank) {
            const int partner = rank ^ (1 << round);
            const bool here =
                partner < ranks && (partner > rank || later[static_cast<std::size_t>(partner)] != 0);
            read[static_cast<std::size_t>(round)][static_cast<std::size_t>(rank)] =
                here || later[static_cast<std::size_t>(rank)] != 0 ? 1 : 0;
        }
    }
    return read;
}

Schedule copies_to_all(int ranks, bool pushed) {
    Recorder recorder;
    recorder.round();
    for (int member = 0; member < ranks; ++member) {
        const Blocks of_other{member, 1};
        recorder.copy({pushed ? member : 0, Space::output, pushed ? own_block : of_other},
                      {pushed ? 0 : member, Space::input, pushed ? of_other : own_block});
    }
    return symmetric(Collective::alltoall, ranks, ranks, recorder);
}

} // namespace

Schedule copies(Collective collective, int ranks, int root, bool pushed) {
    if (collective == Collective::alltoall) {
        return copies_to_all(ranks, pushed);
    }
    const bool is_broadcast = collective == Collective::broadcast;
    const int blocks = is_broadcast ? 1 : ranks;
    return rooted(collective, ranks, blocks, root, [=](Recorder& recorder, int rank) {
        for (int member = 0; member < ranks; ++member) {
            const bool gathers = collective == Collective::gather;
            const Blocks block{is_broadcast ? 0 : member, 1};
            const Place to{gathers ? root : member, Space::output, block};
            const Place from{gathers ? member : root, Space::input, block};
            if (rank == (pushed ? from : to).member) {
                recorder.copy(to, from);
            }
        }
    });
}

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

// Invariant: after round i member r has the sum of the inputs of its subcube of 2^(i+1) ranks (as far as they
// exist), unless nobody reads that, and in the output those of them up to its own. A partner that does not
// exist is above all that do, and a subcube below an existing one is complete. Both partners change their
// sums while the other reads them, so these alternate between two vectors.
Schedule hypercube_scan(int ranks, Inclusion inclusion) {
    const auto sum_of = [ranks](int member, int round) {
        int changes = 0;
        for (int i = 0; i < round; ++i) {
            changes += (member ^ (1 << i)) < ranks ? 1 : 0;
        }
        return Place{member,
                     changes == 0       ? Space::input
                     : changes % 2 == 1 ? Space::scratch0
                                        : Space::scratch1,
                     whole_vector};
    };
    const int rounds = graph::rounds_log2(ranks);
    const auto read = read_sums(ranks, rounds);
    std::vector<Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        Recorder recorder;
        recorder.round();
        const Place output{rank, Space::output, whole_vector};
        bool has_output = inclusion == Inclusion::inclusive;
        if (has_output) {
            recorder.copy(output, {rank, Space::input, whole_vector});
        }
        for (int round = 0; round < rounds; ++round) {
            if (round > 0) {
                recorder.round();
            }
            const int partner = rank ^ (1 << round);
            if (partner >= ranks) {
                continue;
            }
            const Place theirs = sum_of(partner, round);
            const bool below = partner < rank;
            if (below && has_output) {
                recorder.reduce(output, theirs, output);
            } else if (below) {
                recorder.copy(output, theirs);
                has_output = true;
            }
            if (read[static_cast<std::size_t>(round) + 1][static_cast<std::size_t>(rank)] != 0) {
                const Place own = sum_of(rank, round);
                recorder.reduce(sum_of(rank, round + 1), below ? theirs : own, below ? own : theirs);
            }
        }
        programs.push_back(recorder.take());
    }
    return {collective_of(inclusion), ranks, 1, Symmetry::none, std::move(programs)};
}

// In round r - 1 member r takes what the one before it has and adds its own input, or in an exclusive scan
// that one's input.
Schedule ring_scan(int ranks, Inclusion inclusion) {
    const std::size_t rounds = ranks == 1 ? 1 : static_cast<std::size_t>(ranks) - 1;
    std::vector<Program> programs(static_cast<std::size_t>(ranks));
    const bool inclusive = inclusion == Inclusion::inclusive;
    for (int rank = 0; rank < ranks; ++rank) {
        Program& program = programs[static_cast<std::size_t>(rank)];
        program.extend_to(static_cast<std::size_t>(std::max(rank, 1)));
        const Place output{rank, Space::output, whole_vector};
        const Place input{rank, Space::input, whole_vector};
        const Place input_before{rank - 1, Space::input, whole_vector};
        const Place output_before{rank - 1, Space::output, whole_vector};
        if (rank == 0 && inclusive) {
            program.add({output, input, {}, false});
        } else if (rank > 0 && inclusive) {
            program.add({output, rank == 1 ? input_before : output_before, input, true});
        } else if (rank == 1) {
            program.add({output, input_before, {}, false});
        } else if (rank > 1) {
            program.add({output, output_before, input_before, true});
        }
        program.extend_to(rounds);
    }
    return {collective_of(inclusion), ranks, 1, Symmetry::none, std::move(programs)};
}

Schedule direct_scan(int ranks, Inclusion inclusion) {
    const schedule::Prefix prefix =
        inclusion == Inclusion::inclusive ? schedule::Prefix::inclusive : schedule::Prefix::exclusive;
    std::vector<Program> programs(static_cast<std::size_t>(ranks), Program(1));
    for (int rank = 0; rank < ranks; ++rank) {
        const schedule::Blocks own{rank, 1};
        programs[static_cast<std::size_t>(rank)].add(
            {{schedule::every, Space::output, own}, {schedule::every, Space::input, own}, {}, true, prefix});
    }
    return {collective_of(inclusion), ranks, ranks, Symmetry::none, std::move(programs)};
}

Schedule flat_scan(int ranks, Inclusion inclusion) {
    const bool inclusive = inclusion == Inclusion::inclusive;
    std::vector<Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        const Place output{rank, Space::output, whole_vector};
        const int operands = inclusive ? rank + 1 : rank;
        Recorder recorder(1, 1);
        recorder.round();
        if (operands == 1) {
            recorder.copy(output, {0, Space::input, whole_vector});
        } else if (operands > 1) {
            recorder.reduce_first(operands, output, Space::input);
        }
        programs.push_back(recorder.take());
    }
    return {collective_of(inclusion), ranks, 1, Symmetry::none, std::move(programs)};
}

} // namespace tutti::algorithm
