#include "schedule/pattern.hpp"

#include <stdexcept>
#include <utility>

namespace tutti::schedule {

namespace {

enum class Where : unsigned char { nowhere, input, output, scratch0, scratch1 };

constexpr Space space_of(Where where) {
    constexpr Space spaces[] = {Space::input, Space::input, Space::output, Space::scratch0, Space::scratch1};
    return spaces[static_cast<std::size_t>(where)];
}

/// A block of a representative's vector. There are many of them.
struct Block {
    Where where = Where::nowhere;
    /// The vector to which the block's last write goes.
    Where destination = Where::scratch0;
    bool written = false;
    /// Whether an odd number of dodges is ahead: of writes that must not go where the block lies, because
    /// others read it in the same round.
    bool odd_dodges = false;
    /// The round in which another member reads it, if that is the current one or an earlier one.
    int read_in = -1;
};

/// The blocks of any member's vector, under that member's names.
struct Vector {
    Block* blocks;
    Translation to_representative;

    Block& operator[](int block) const { return blocks[to_representative.block(block)]; }
};

/// Blocks of a transfer that lie in the same vectors: those of the stored list it stands in, the sender's,
/// and where the result goes.
struct Run {
    int stored;
    Blocks blocks;
    Where own;
    Where peer;
    Where to;
};

class Placer {
public:
    Placer(const Pattern& pattern, Collective collective, int root)
        : pattern_(pattern), collective_(collective), root_(root), rounds_(std::max(pattern.rounds(), 1)),
          transfers_(pattern.received(), rounds_),
          blocks_(pattern.received().size() * static_cast<std::size_t>(pattern.blocks())) {
        for (int rank = 0; rank < static_cast<int>(lists()); ++rank) {
            Block* const blocks = blocks_of(rank);
            for (int index = 0; index < pattern.blocks(); ++index) {
                if (has_input(collective, root, rank, index, per_rank())) {
                    blocks[index].where = Where::input;
                }
                if (has_output(collective, root, rank, index, per_rank())) {
                    blocks[index].destination = Where::output;
                }
            }
        }
        count_dodges();
    }

    Schedule run() {
        const auto rounds = static_cast<std::size_t>(rounds_);
        std::vector<Program> programs(lists());
        for (std::size_t stored = 0; stored < lists(); ++stored) {
            programs[stored].reserve(rounds, pattern_.received()[stored].size() + 1);
            programs[stored].extend_to(1);
        }
        for (int round = 0; round < rounds_; ++round) {
            if (dodges_) {
                mark_reads(round);
            }
            for (const auto& [stored, transfer] : transfers_.in(round)) {
                programs[stored].extend_to(static_cast<std::size_t>(round) + 1);
                append_moves(programs[stored], round, static_cast<int>(stored), transfer);
            }
            end_round();
            if (round == 0) {
                append_own_copies(programs);
            }
        }
        for (Program& program : programs) {
            program.extend_to(rounds);
        }
        return {collective_,         pattern_.ranks(),    pattern_.blocks(),
                pattern_.symmetry(), std::move(programs), root_};
    }

private:
    std::size_t lists() const { return pattern_.received().size(); }
    bool per_rank() const { return pattern_.blocks() == pattern_.ranks(); }

    Block* blocks_of(int stored) {
        return &blocks_[static_cast<std::size_t>(stored) * static_cast<std::size_t>(pattern_.blocks())];
    }

    Vector vector_of(int member) {
        const Symmetry& symmetry = pattern_.symmetry();
        return {blocks_of(symmetry.translates() ? 0 : member),
                {symmetry, pattern_.ranks(), pattern_.blocks(), symmetry.inverse(member, pattern_.ranks())}};
    }

    void mark_reads(int round) {
        for (const auto& [stored, transfer] : transfers_.in(round)) {
            const Vector peer = vector_of(transfer.from);
            for_each_block(transfer.blocks, pattern_.blocks(),
                           [&](int block) { peer[block].read_in = round; });
        }
    }

    /// Counts all dodges, so that the last write of a block can be sent to where the result belongs.
    void count_dodges() {
        for (int round = 0; round < rounds_; ++round) {
            mark_reads(round);
            for (const auto& [stored, transfer] : transfers_.in(round)) {
                Block* const own = blocks_of(static_cast<int>(stored));
                for_each_block(transfer.blocks, pattern_.blocks(), [&](int index) {
                    Block& block = own[index];
                    if (block.written && block.read_in == round) {
                        block.odd_dodges = !block.odd_dodges;
                        dodges_ = true;
                    }
                    block.written = true;
                });
            }
        }
        for (Block& block : blocks_) {
            block.read_in = -1;
        }
    }

    /// The vector of a write: the block's destination, or one next to it while an odd number of dodges is
    /// ahead.
    static Where target(Block& block, int round) {
        const bool moved_before = block.where != Where::nowhere && block.where != Where::input;
        if (moved_before && block.read_in == round) {
            block.odd_dodges = !block.odd_dodges;
        }
        if (!block.odd_dodges) {
            return block.destination;
        }
        return block.destination == Where::output ? Where::scratch0 : Where::scratch1;
    }

    /// Writes take effect here, because a round reads what was there before it.
    void end_round() {
        for (const Run& run : runs_) {
            Block* const blocks = blocks_of(run.stored);
            for_each_block(run.blocks, pattern_.blocks(), [&](int index) { blocks[index].where = run.to; });
        }
        runs_.clear();
    }

    /// Finds the runs of a transfer: maximal ranges of blocks that lie in the same vectors.
    std::span<const Run> find_runs(int round, int stored, const Transfer& transfer) {
        const std::size_t first = runs_.size();
        Block* const blocks = blocks_of(stored);
        const Vector theirs = vector_of(transfer.from);
        for_each_block(transfer.blocks, pattern_.blocks(), [&](int index) {
            Block& block = blocks[index];
            const Where to = target(block, round);
            const Where own = transfer.action == Action::copy ? to : block.where;
            const Where peer = theirs[index].where;
            if (peer == Where::nowhere || own == Where::nowhere) {
                throw std::invalid_argument("place: a transfer reads a block that its member does not have");
            }
            if (runs_.size() != first && runs_.back().own == own && runs_.back().peer == peer &&
                runs_.back().to == to) {
                ++runs_.back().blocks.count;
            } else {
                runs_.push_back({stored, {index, 1}, own, peer, to});
            }
        });
        return std::span(runs_).subspan(first);
    }

    /// Appends the moves of one transfer.
    void append_moves(Program& program, int round, int stored, const Transfer& transfer) {
        for (const Run& run : find_runs(round, stored, transfer)) {
            // A run that would not stay one under the symmetry is moved block by block.
            const Blocks range = run.blocks;
            const bool whole = !per_rank() || pattern_.symmetry().keeps(range.first, range.count);
            for (int i = 0; i < (whole ? 1 : range.count); ++i) {
                const Blocks part{wrap(range.first + i, pattern_.blocks()), whole ? range.count : 1};
                program.add(move_of(transfer.action, {stored, space_of(run.to), part},
                                    {stored, space_of(run.own), part},
                                    {transfer.from, space_of(run.peer), part}));
            }
        }
    }

    static Move move_of(Action action, const Place& to, const Place& own, const Place& received) {
        switch (action) {
        case Action::combine:
            return {to, own, received, true};
        case Action::combine_before:
            return {to, received, own, true};
        case Action::copy:
            break;
        }
        return {to, received, {}, false};
    }

    /// Copies to the output the blocks that the collective wants there and no transfer writes, in the first
    /// round.
    void append_own_copies(std::vector<Program>& programs) {
        for (int rank = 0; rank < static_cast<int>(lists()); ++rank) {
            const Block* const blocks = blocks_of(rank);
            Blocks run;
            const auto end_run = [&] {
                if (run.count != 0) {
                    programs[static_cast<std::size_t>(rank)].add(
                        {{rank, Space::output, run}, {rank, Space::input, run}, {}, false});
                    run.count = 0;
                }
            };
            for (int index = 0; index < pattern_.blocks(); ++index) {
                const Block& block = blocks[index];
                if (block.written || block.where != Where::input || block.destination != Where::output) {
                    end_run();
                } else if (run.count++ == 0) {
                    run.first = index;
                }
            }
            end_run();
        }
    }

    const Pattern& pattern_;
    Collective collective_;
    int root_;
    /// There is at least one round, for copies of a member's own blocks.
    int rounds_;
    TransfersByRound transfers_;
    std::vector<Block> blocks_;
    /// The runs of the current round.
    std::vector<Run> runs_;
    bool dodges_ = false;
};

} // namespace

Schedule place(const Pattern& pattern, Collective collective, int root) {
    return Placer(pattern, collective, root).run();
}

} // namespace tutti::schedule
