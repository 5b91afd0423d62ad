#include "cost/count.hpp"

#include "cost/messages.hpp"
#include "schedule/scratch.hpp"

#include <algorithm>

namespace tutti::cost {

using schedule::Move;
using schedule::Schedule;
using schedule::Space;
using schedule::WrittenScratch;

namespace {

void add_traffic(const Schedule& schedule, Tally& tally) {
    const bool symmetric = schedule.symmetry().translates();
    Messages messages(schedule);
    std::vector<char> busy(static_cast<std::size_t>(schedule.rounds()), 0);
    for (int stored = 0; stored < static_cast<int>(schedule.programs().size()); ++stored) {
        const schedule::Program& program = schedule.programs()[static_cast<std::size_t>(stored)];
        for (std::size_t round = 0; round < program.size(); ++round) {
            const auto count = [&](bool is_stored, int owner, int blocks) {
                busy[round] = 1;
                // Under a symmetry what one member receives from all is what all receive from it.
                const std::size_t actor = symmetric ? 0 : static_cast<std::size_t>(stored);
                const std::size_t other = symmetric ? 0 : static_cast<std::size_t>(owner);
                tally.received[is_stored ? other : actor] += blocks;
                tally.sent[is_stored ? actor : other] += blocks;
            };
            messages.for_each(stored, program[round], count);
        }
    }
    tally.rounds = std::ranges::count(busy, 1);
}

long reductions(const Schedule& schedule, const schedule::Program& program) {
    long combined = 0;
    for (const Move& move : program.moves()) {
        const bool one_less = move.prefix == schedule::Prefix::exclusive;
        const long operands = schedule::is_several(move.left.member)
                                  ? schedule::count_of(move.left.member, schedule.ranks())
                                  : 2;
        const long each = move.reduces ? std::max(operands - (one_less ? 2L : 1L), 0L) : 0;
        combined += each * move.to.blocks.count;
    }
    return combined;
}

/// The blocks of scratch that each representative needs, at the rank that needs most. On a torus the range
/// that covers what a member writes is longer at some members than at others, but a translation in the
/// slowest dimension (in the only one of a rotation) takes every range to one of the same length.
std::vector<long> scratch(const Schedule& schedule) {
    const std::size_t stored = schedule.programs().size();
    const bool translates = schedule.symmetry().translates();
    const int differing = translates ? schedule.symmetry().generators().back() : 1;
    std::vector<long> most(stored, 0);
    for (std::size_t program = 0; program < stored; ++program) {
        std::vector<WrittenScratch> vectors;
        vectors.reserve(static_cast<std::size_t>(schedule.scratch_vectors()));
        for (int vector = 0; vector < schedule.scratch_vectors(); ++vector) {
            vectors.emplace_back(schedule, program,
                                 static_cast<Space>(static_cast<int>(Space::scratch0) + vector));
        }
        for (int rank = 0; !vectors.empty() && rank < differing; ++rank) {
            long blocks = 0;
            for (const WrittenScratch& vector : vectors) {
                blocks += vector.range(translates ? rank : static_cast<int>(program)).count;
            }
            most[program] = std::max(most[program], blocks);
        }
    }
    return most;
}

} // namespace

Tally tally(const Schedule& schedule) {
    const std::size_t stored = schedule.programs().size();
    Tally tally{0, std::vector<long>(stored, 0), std::vector<long>(stored, 0), std::vector<long>(stored, 0),
                std::vector<long>(stored, 0)};
    add_traffic(schedule, tally);
    if (schedule.collective() == Collective::barrier) {
        return tally;
    }
    for (std::size_t rank = 0; rank < stored; ++rank) {
        tally.reductions[rank] = reductions(schedule, schedule.programs()[rank]);
    }
    tally.scratch = scratch(schedule);
    return tally;
}

algorithm::CostTerms Tally::most() const {
    return {rounds, std::ranges::max(received), std::ranges::max(reductions)};
}

long Tally::most_scratch() const {
    return std::ranges::max(scratch);
}

long Tally::most_sent() const {
    return std::ranges::max(sent);
}

} // namespace tutti::cost
