#include "schedule/place.hpp"

#include <stdexcept>
#include <utility>

namespace tutti::schedule {

namespace {

enum class Where : unsigned char { nowhere, input, output, scratch };

constexpr Space space_of(Where where) {
    return where == Where::input ? Space::input : where == Where::output ? Space::output : Space::scratch0;
}

/// Where each block of each representative's vector lies at the moment.
class Locations {
public:
    Locations(const Pattern& pattern, Collective collective, int root)
        : pattern_(pattern), collective_(collective), root_(root),
          where_(pattern.received().size(),
                 std::vector<Where>(static_cast<std::size_t>(pattern.blocks()), Where::nowhere)) {
        for (std::size_t stored = 0; stored < where_.size(); ++stored) {
            for (int block = 0; block < pattern.blocks(); ++block) {
                if (has_input(collective, root, static_cast<int>(stored), block, blocks_are_ranks())) {
                    where_[stored][static_cast<std::size_t>(block)] = Where::input;
                }
            }
        }
    }

    Where of(int rank, int block) const {
        const bool symmetric = pattern_.symmetry() == Symmetry::rotation;
        const Rotation back{pattern_.ranks(), pattern_.blocks(), symmetric ? -rank : 0};
        return where_[symmetric ? 0 : static_cast<std::size_t>(rank)]
                     [static_cast<std::size_t>(back.block(block))];
    }

    void set(std::size_t stored, int block, Where where) {
        where_[stored][static_cast<std::size_t>(block)] = where;
    }

    Where destination(int rank, int block) const {
        return has_output(collective_, root_, rank, block, blocks_are_ranks()) ? Where::output
                                                                               : Where::scratch;
    }

private:
    bool blocks_are_ranks() const { return pattern_.blocks() == pattern_.ranks(); }

    const Pattern& pattern_;
    Collective collective_;
    int root_;
    std::vector<std::vector<Where>> where_;
};

/// Appends the moves of one transfer: maximal runs of blocks that lie in the same vectors.
void append_moves(Round& round, const Transfer& transfer, int receiver, const Locations& locations,
                  int blocks) {
    Where run_own = Where::nowhere;
    Where run_peer = Where::nowhere;
    Where run_to = Where::nowhere;
    for (int i = 0; i < transfer.blocks.count; ++i) {
        const int block = wrap(transfer.blocks.first + i, blocks);
        const bool combines = transfer.action == Action::combine;
        const Where to = locations.destination(receiver, block);
        const Where own = combines ? locations.of(receiver, block) : to;
        const Where peer = locations.of(transfer.from, block);
        if (peer == Where::nowhere || own == Where::nowhere) {
            throw std::invalid_argument("place: a transfer reads a block that its member does not have");
        }
        if (i > 0 && own == run_own && peer == run_peer && to == run_to) {
            Move& move = round.back();
            ++move.to.blocks.count;
            ++move.left.blocks.count;
            move.right.blocks.count += combines ? 1 : 0;
            continue;
        }
        run_own = own;
        run_peer = peer;
        run_to = to;
        const Blocks one{block, 1};
        const Place target{receiver, space_of(to), one};
        const Place received{transfer.from, space_of(peer), one};
        if (combines) {
            round.push_back({target, {receiver, space_of(own), one}, received, true});
        } else {
            round.push_back({target, received, {}, false});
        }
    }
}

/// Copies to the output what the collective wants there and no transfer writes.
void append_own_copies(Round& round, const Pattern& pattern, std::size_t stored, Locations& locations) {
    const int rank = static_cast<int>(stored);
    std::vector<char> written(static_cast<std::size_t>(pattern.blocks()), 0);
    for (const Transfer& transfer : pattern.received()[stored]) {
        for (int i = 0; i < transfer.blocks.count; ++i) {
            written[static_cast<std::size_t>(wrap(transfer.blocks.first + i, pattern.blocks()))] = 1;
        }
    }
    for (int block = 0; block < pattern.blocks(); ++block) {
        if (written[static_cast<std::size_t>(block)] == 0 && locations.of(rank, block) == Where::input &&
            locations.destination(rank, block) == Where::output) {
            const Blocks one{block, 1};
            round.push_back({{rank, Space::output, one}, {rank, Space::input, one}, {}, false});
            locations.set(stored, block, Where::output);
        }
    }
}

} // namespace

Schedule place(const Pattern& pattern, Collective collective, int root) {
    Locations locations(pattern, collective, root);
    const int rounds = pattern.rounds() == 0 ? 1 : pattern.rounds();
    std::vector<Program> programs(pattern.received().size(), Program(static_cast<std::size_t>(rounds)));
    for (int round = 0; round < rounds; ++round) {
        // The transfers of a round read what was there before it: all moves first, then the new locations.
        for (std::size_t stored = 0; stored < programs.size(); ++stored) {
            for (const Transfer& transfer : pattern.received()[stored]) {
                if (transfer.round == round) {
                    append_moves(programs[stored][static_cast<std::size_t>(round)], transfer,
                                 static_cast<int>(stored), locations, pattern.blocks());
                }
            }
        }
        for (std::size_t stored = 0; stored < programs.size(); ++stored) {
            if (round == 0) {
                append_own_copies(programs[stored].front(), pattern, stored, locations);
            }
            for (const Transfer& transfer : pattern.received()[stored]) {
                for (int i = 0; transfer.round == round && i < transfer.blocks.count; ++i) {
                    const int block = wrap(transfer.blocks.first + i, pattern.blocks());
                    locations.set(stored, block, locations.destination(static_cast<int>(stored), block));
                }
            }
        }
    }
    return {collective, pattern.ranks(), pattern.blocks(), pattern.symmetry(), std::move(programs), root};
}

} // namespace tutti::schedule
