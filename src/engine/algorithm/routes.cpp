#include "algorithm/algorithms.hpp"
#include "graph/graphs.hpp"
#include "schedule/recorder.hpp"
#include "schedule/runs.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace tutti::algorithm {

using schedule::Move;
using schedule::Place;
using schedule::Schedule;
using schedule::Space;
using schedule::Symmetry;
using schedule::wrap;

namespace {

/// One step of a message: in `round` it is translated by `by`.
struct Hop {
    int round;
    int by;
};

/// The hops of the message whose receiver is its sender translated by `offset`; their sum is `offset`.
using Route = std::function<std::vector<Hop>(int offset)>;

/// An all-to-all in which every message with the same offset goes the same way. At every time a member has
/// just one message of each offset, so the message with offset t may lie in block v - t of whichever member v
/// it is at: that is where the receiver wants it. It alternates between output and scratch0, so that a member
/// can pass one on while it takes the next, and arrives in the output.
Schedule routed_alltoall(const Symmetry& symmetry, int ranks, int rounds, const Route& route) {
    const auto translated = [&](int rank, int by) { return symmetry.translated(rank, by, ranks); };
    const auto inverse = [&](int by) { return symmetry.inverse(by, ranks); };
    const auto visit_moves = [&](auto visit) {
        visit(0, Move{{0, Space::output, {0, 1}}, {0, Space::input, {0, 1}}, {}, false});
        for (int offset = ranks - 1; offset > 0; --offset) {
            const auto hops = route(offset);
            const int back = inverse(offset);
            for (std::size_t i = 0; i < hops.size(); ++i) {
                // Seen by member 0, where the message arrives, from the member before.
                const int from = inverse(hops[i].by);
                const auto buffer = [&](std::size_t hops_done) {
                    return (hops.size() - hops_done) % 2 == 0 ? Space::output : Space::scratch0;
                };
                const Place source = i == 0 ? Place{from, Space::input, {translated(from, offset), 1}}
                                            : Place{from, buffer(i), {translated(from, back), 1}};
                visit(static_cast<std::size_t>(hops[i].round),
                      Move{{0, buffer(i + 1), {back, 1}}, source, {}, false});
            }
        }
    };
    const schedule::Grouped<Move> by_round(static_cast<std::size_t>(std::max(rounds, 1)), visit_moves);
    schedule::Program program;
    for (std::size_t round = 0; round < by_round.groups(); ++round) {
        program.extend_to(round + 1);
        for (const Move& move : by_round.at(round)) {
            program.add(move);
        }
    }
    return {Collective::alltoall, ranks, ranks, symmetry, {std::move(program)}};
}

/// Moves one vector of each member along: in round k, member v takes the vector of member from[k][v], or
/// keeps its own if that is v itself.
Schedule routed_shift(int ranks, int distance, const std::vector<std::vector<int>>& from) {
    const auto count = static_cast<std::size_t>(ranks);
    std::vector<int> ahead(count, 0);
    for (const auto& round : from) {
        for (std::size_t rank = 0; rank < count; ++rank) {
            ahead[rank] += round[rank] != static_cast<int>(rank) ? 1 : 0;
        }
    }
    std::vector<Space> where(count, Space::input);
    std::vector<schedule::Program> programs(count, schedule::Program(1));
    for (std::size_t rank = 0; rank < count; ++rank) {
        if (ahead[rank] == 0) {
            const int own = static_cast<int>(rank);
            programs[rank].add(
                {{own, Space::output, whole_vector}, {own, Space::input, whole_vector}, {}, false});
        }
    }
    for (std::size_t round = 0; round < from.size(); ++round) {
        const std::vector<Space> before = where;
        for (std::size_t rank = 0; rank < count; ++rank) {
            const int source = from[round][rank];
            programs[rank].extend_to(round + 1);
            if (source == static_cast<int>(rank)) {
                continue;
            }
            where[rank] = --ahead[rank] % 2 == 0 ? Space::output : Space::scratch0;
            programs[rank].add({{static_cast<int>(rank), where[rank], whole_vector},
                                {source, before[static_cast<std::size_t>(source)], whole_vector},
                                {},
                                false});
        }
    }
    return {Collective::shift, ranks, 1, Symmetry::none, std::move(programs), distance};
}

/// For every rank the rank `by` before it on a ring.
std::vector<int> ring_step(int ranks, int by) {
    std::vector<int> from(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        from[static_cast<std::size_t>(rank)] = wrap(rank - by, ranks);
    }
    return from;
}

/// So many equal hops, in as many rounds from `round` on.
void append_hops(std::vector<Hop>& hops, int round, int count, int by) {
    hops.reserve(hops.size() + static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        hops.push_back({round + i, by});
    }
}

} // namespace

// Invariant: in round k every message with an offset of more than k moves on by one.
Schedule ring_alltoall(int ranks) {
    return routed_alltoall(Symmetry::rotation, ranks, ranks - 1, [](int offset) {
        std::vector<Hop> hops;
        append_hops(hops, 0, offset, 1);
        return hops;
    });
}

Schedule bidirectional_ring_alltoall(int ranks) {
    return routed_alltoall(Symmetry::rotation, ranks, ranks / 2, [ranks](int offset) {
        std::vector<Hop> hops;
        const bool forward = offset <= ranks / 2;
        append_hops(hops, 0, forward ? offset : ranks - offset, forward ? 1 : ranks - 1);
        return hops;
    });
}

// Dimension by dimension, fastest first: every message goes round until that coordinate is right.
Schedule torus_alltoall(const std::vector<int>& dimensions) {
    int ranks = 1;
    int rounds = 0;
    for (const int members : dimensions) {
        ranks *= members;
        rounds += members - 1;
    }
    return routed_alltoall(Symmetry::torus(dimensions), ranks, rounds, [&](int offset) {
        std::vector<Hop> hops;
        int start = 0;
        for (std::size_t index = dimensions.size(); index-- > 0;) {
            const int unit = graph::stride(dimensions, index);
            append_hops(hops, start, offset / unit % dimensions[index], unit);
            start += dimensions[index] - 1;
        }
        return hops;
    });
}

// Dimension by dimension, fastest first: every message goes to where that coordinate is right.
Schedule exchange_alltoall(const std::vector<int>& dimensions) {
    const int ranks = std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies());
    const int last = static_cast<int>(dimensions.size()) - 1;
    return routed_alltoall(Symmetry::torus(dimensions), ranks, last + 1, [&](int offset) {
        std::vector<Hop> hops;
        for (std::size_t index = dimensions.size(); index-- > 0;) {
            const int unit = graph::stride(dimensions, index);
            if (const int by = offset / unit % dimensions[index] * unit; by != 0) {
                hops.push_back({last - static_cast<int>(index), by});
            }
        }
        return hops;
    });
}

Schedule pairwise_alltoall(int ranks) {
    const bool cube = graph::is_power_of_two(ranks);
    return routed_alltoall(cube ? Symmetry::torus(graph::hypercube(ranks)) : Symmetry::rotation, ranks,
                           ranks - 1, [](int offset) {
                               return std::vector<Hop>{{offset - 1, offset}};
                           });
}

// In the round with skip s every message moves by s whose offset has s among the skips that add up to it.
Schedule circulant_alltoall(int ranks) {
    const auto skips = graph::skips(ranks, graph::Skips::halving);
    const int rounds = static_cast<int>(skips.size()) - 1;
    return routed_alltoall(Symmetry::rotation, ranks, rounds, [&](int offset) {
        std::vector<Hop> hops;
        for (int index = 1; index <= rounds; ++index) {
            const int skip = skips[static_cast<std::size_t>(index)];
            if (offset >= skip) {
                offset -= skip;
                hops.push_back({rounds - index, skip});
            }
        }
        std::ranges::reverse(hops);
        return hops;
    });
}

Schedule ring_shift(int ranks, int distance) {
    const bool forward = 2 * distance <= ranks;
    const int steps = forward ? distance : ranks - distance;
    return routed_shift(ranks, distance,
                        {static_cast<std::size_t>(steps), ring_step(ranks, forward ? 1 : -1)});
}

Schedule direct_shift(int ranks, int distance) {
    return routed_shift(ranks, distance, {ring_step(ranks, distance)});
}

Schedule hypercube_shift(int ranks, int distance) {
    std::vector<std::vector<int>> rounds;
    for (int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks))); power > 0; power /= 2) {
        if ((distance & power) != 0) {
            rounds.push_back(ring_step(ranks, power));
        }
    }
    return routed_shift(ranks, distance, rounds);
}

// Along the rows by the distance modulo the columns; blocks that have gone round the end of their row then go
// down by one; then all go down by the whole rows of the distance. Every way takes the shorter direction.
Schedule mesh_shift(int ranks, int distance) {
    const auto mesh = graph::mesh(ranks);
    const int rows = mesh[0];
    const int columns = mesh[1];
    const int across = distance % columns;
    const int down = distance / columns;
    std::vector<std::vector<int>> rounds;
    const auto step = [&](int rows_up, int columns_back, int first_columns) {
        std::vector<int> from;
        for (int rank = 0; rank < ranks; ++rank) {
            const int row = rank / columns;
            const int column = rank % columns;
            const bool moves = column < first_columns;
            from.push_back(moves ? wrap(row - rows_up, rows) * columns + wrap(column - columns_back, columns)
                                 : rank);
        }
        rounds.push_back(std::move(from));
    };
    const bool right = 2 * across <= columns;
    for (int i = 0; i < (right ? across : columns - across); ++i) {
        step(0, right ? 1 : -1, columns);
    }
    if (across != 0 && rows > 1) {
        step(1, 0, across);
    }
    const bool downwards = 2 * down <= rows;
    for (int i = 0; i < (downwards ? down : rows - down); ++i) {
        step(downwards ? 1 : -1, 0, columns);
    }
    return routed_shift(ranks, distance, rounds);
}

} // namespace tutti::algorithm
