#include "schedule/place.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tutti::schedule {

namespace {

enum class Where : unsigned char { nowhere, input, output, scratch0, scratch1 };

constexpr Space space_of(Where where) {
    constexpr Space spaces[] = {Space::input, Space::input, Space::output, Space::scratch0, Space::scratch1};
    return spaces[static_cast<std::size_t>(where)];
}

/// A block of a representative's vector.
struct Block {
    Where where = Where::nowhere;
    bool written = false;
    /// The round in which another member reads it, if that is the current one or an earlier one.
    int read_in = -1;
    /// Writes still ahead that must not go where the block lies, because others read it in the same round.
    int dodges = 0;
};

class Placer {
public:
    Placer(const Pattern& pattern, Collective collective, int root)
        : pattern_(pattern), collective_(collective), root_(root), rounds_(std::max(pattern.rounds(), 1)),
          transfers_(pattern.received(), rounds_),
          blocks_(pattern.received().size() * static_cast<std::size_t>(pattern.blocks())) {
        count_dodges();
        for (std::size_t stored = 0; stored < lists(); ++stored) {
            for (int block = 0; block < pattern.blocks(); ++block) {
                const bool given = has_input(collective, root, static_cast<int>(stored), block, per_rank());
                at(stored, block).where = given ? Where::input : Where::nowhere;
            }
        }
    }

    Schedule run() {
        const auto rounds = static_cast<std::size_t>(rounds_);
        std::vector<Program> programs(lists());
        for (std::size_t stored = 0; stored < lists(); ++stored) {
            programs[stored].reserve(rounds, pattern_.received()[stored].size() + 1);
            programs[stored].extend_to(1);
        }
        for (int round = 0; round < rounds_; ++round) {
            for_each_in(round, [&](std::size_t stored, const Transfer& transfer) {
                programs[stored].extend_to(static_cast<std::size_t>(round) + 1);
                append_moves(programs[stored], round, stored, transfer);
            });
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

    Block& at(std::size_t stored, int block) {
        return blocks_[stored * static_cast<std::size_t>(pattern_.blocks()) +
                       static_cast<std::size_t>(block)];
    }

    /// The block of any member, under the name its representative has for it.
    Block& of(int member, int block) {
        const Symmetry& symmetry = pattern_.symmetry();
        const Translation back{symmetry, pattern_.ranks(), pattern_.blocks(),
                               symmetry.inverse(member, pattern_.ranks())};
        return at(symmetry.translates() ? 0 : static_cast<std::size_t>(member), back.block(block));
    }

    int block_of(const Transfer& transfer, int i) const {
        return wrap(transfer.blocks.first + i, pattern_.blocks());
    }

    /// Visits the transfers of a round, when it is known which blocks are read in it.
    template <class Visit>
    void for_each_in(int round, Visit visit) {
        for (const auto& [stored, transfer] : transfers_.in(round)) {
            for (int i = 0; i < transfer.blocks.count; ++i) {
                of(transfer.from, block_of(transfer, i)).read_in = round;
            }
        }
        for (const auto& [stored, transfer] : transfers_.in(round)) {
            visit(stored, transfer);
        }
        // What is read in a round is what was there before it.
        for (const auto& [block, where] : moved_) {
            block->where = where;
        }
        moved_.clear();
    }

    /// Counts all dodges, so that the last write of a block can be sent to where the result belongs.
    void count_dodges() {
        for (int round = 0; round < rounds_; ++round) {
            for_each_in(round, [&](std::size_t stored, const Transfer& transfer) {
                for (int i = 0; i < transfer.blocks.count; ++i) {
                    Block& block = at(stored, block_of(transfer, i));
                    block.dodges += block.written && block.read_in == round ? 1 : 0;
                    block.written = true;
                }
            });
        }
        for (Block& block : blocks_) {
            block.read_in = -1;
        }
    }

    Where destination(std::size_t stored, int block) const {
        return has_output(collective_, root_, static_cast<int>(stored), block, per_rank()) ? Where::output
                                                                                           : Where::scratch0;
    }

    /// Where a write goes: to the block's destination, or next to it while an odd number of dodges is ahead.
    Where target(std::size_t stored, int round, int index) {
        Block& block = at(stored, index);
        const bool moved_before = block.where != Where::nowhere && block.where != Where::input;
        block.dodges -= moved_before && block.read_in == round ? 1 : 0;
        const Where last = destination(stored, index);
        if (block.dodges % 2 == 0) {
            return last;
        }
        return last == Where::output ? Where::scratch0 : Where::scratch1;
    }

    /// Appends the moves of one transfer: maximal runs of blocks that lie in the same vectors.
    void append_moves(Program& program, int round, std::size_t stored, const Transfer& transfer) {
        runs_.clear();
        for (int i = 0; i < transfer.blocks.count; ++i) {
            const int index = block_of(transfer, i);
            const Where to = target(stored, round, index);
            const Where own = transfer.action == Action::copy ? to : at(stored, index).where;
            const Where peer = of(transfer.from, index).where;
            if (peer == Where::nowhere || own == Where::nowhere) {
                throw std::invalid_argument("place: a transfer reads a block that its member does not have");
            }
            moved_.emplace_back(&at(stored, index), to);
            if (!runs_.empty() && runs_.back().own == own && runs_.back().peer == peer &&
                runs_.back().to == to) {
                ++runs_.back().blocks.count;
            } else {
                runs_.push_back({own, peer, to, {index, 1}});
            }
        }
        for (const Run& run : runs_) {
            // A run that would not stay one under the symmetry is moved block by block.
            const Blocks range = run.blocks;
            const bool whole = !per_rank() || pattern_.symmetry().keeps(range.first, range.count);
            for (int i = 0; i < (whole ? 1 : range.count); ++i) {
                const Blocks part{wrap(range.first + i, pattern_.blocks()), whole ? range.count : 1};
                const int receiver = static_cast<int>(stored);
                program.add(move_of(transfer.action, {receiver, space_of(run.to), part},
                                    {receiver, space_of(run.own), part},
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

    /// Copies to the output what the collective wants there and no transfer writes, in the first round.
    void append_own_copies(std::vector<Program>& programs) {
        for (std::size_t stored = 0; stored < lists(); ++stored) {
            Blocks run;
            const auto copy_run = [&] {
                const int rank = static_cast<int>(stored);
                if (run.count != 0) {
                    programs[stored].add({{rank, Space::output, run}, {rank, Space::input, run}, {}, false});
                }
                run = {};
            };
            for (int index = 0; index < pattern_.blocks(); ++index) {
                const Block& block = at(stored, index);
                if (block.written || block.where != Where::input ||
                    destination(stored, index) != Where::output) {
                    copy_run();
                } else if (run.count++ == 0) {
                    run.first = index;
                }
            }
            copy_run();
        }
    }

    /// Blocks of a transfer that lie in the same vectors.
    struct Run {
        Where own;
        Where peer;
        Where to;
        Blocks blocks;
    };

    const Pattern& pattern_;
    Collective collective_;
    int root_;
    /// There is at least one round, for copies of a member's own blocks.
    int rounds_;
    TransfersByRound transfers_;
    std::vector<Block> blocks_;
    std::vector<Run> runs_;
    std::vector<std::pair<Block*, Where>> moved_;
};

} // namespace

Schedule place(const Pattern& pattern, Collective collective, int root) {
    return Placer(pattern, collective, root).run();
}

} // namespace tutti::schedule
