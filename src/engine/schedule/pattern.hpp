#pragma once

#include "schedule/runs.hpp"

namespace tutti::schedule {

/// How a member uses the blocks that it receives: it stores them, or combines them with its own partial
/// result, which is then the left operand or the right one.
enum class Action { copy, combine, combine_before };

/// `blocks` of the vector of member `from`, received by the member whose list the transfer stands in.
struct Transfer {
    int round = 0;
    int from = 0;
    Blocks blocks;
    Action action = Action::copy;

    friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// Transfers over one logical vector of `blocks` blocks per member, in rounds: the form in which algorithms
/// are derived from one another. It leaves open where the vector lies in memory; `place` decides that.
///
/// All transfers of a round read the vectors as they were before that round.
class Pattern {
public:
    /// `received` holds one list for a symmetry that translates (that of member 0), else one for each rank,
    /// each in round order. Throws std::invalid_argument when a list is out of order or names a rank, block
    /// or round that does not exist.
    Pattern(int ranks, int blocks, int rounds, Symmetry symmetry,
            std::vector<std::vector<Transfer>> received);

    int ranks() const { return ranks_; }
    int blocks() const { return blocks_; }
    int rounds() const { return rounds_; }
    const Symmetry& symmetry() const { return symmetry_; }

    /// The stored lists: one for each representative.
    const std::vector<std::vector<Transfer>>& received() const { return received_; }

    /// A transfer of the stored list that `rank` follows, under the names it has there.
    Transfer renamed(Transfer transfer, int rank) const;
    /// The transfers that `rank` receives, in round order.
    std::vector<Transfer> received_by(int rank) const;

private:
    int ranks_;
    int blocks_;
    int rounds_;
    Symmetry symmetry_;
    std::vector<std::vector<Transfer>> received_;
};

/// The transfers of several lists round by round, and within a round list by list.
class TransfersByRound {
public:
    struct Entry {
        std::size_t list = 0;
        Transfer transfer;
    };

    /// The lists must outlive it.
    TransfersByRound(const std::vector<std::vector<Transfer>>& lists, int rounds);

    std::span<const Entry> in(int round) const { return entries_.at(static_cast<std::size_t>(round)); }

private:
    Grouped<Entry> entries_;
};

/// The dual: same edges, reversed, last round first, copy becomes combine. Turns an allgather into the
/// reduce-scatter on the same graph and a broadcast into the reduction (Grama et al. 2003). If every member
/// has a list of its own, the operand of the lower rank is the left one. This keeps rank order if the partial
/// results are those of consecutive ranks.
Pattern dual(const Pattern& pattern);

/// Same edges, reversed, last round first, copies stay copies: gather becomes scatter.
/// Throws std::invalid_argument when the pattern combines.
Pattern reverse(const Pattern& pattern);

/// Keeps the transfers on which the result at `root` depends: allgather becomes gather (Träff et al. 2023,
/// section III-F), and allreduce becomes reduce. Throws std::invalid_argument when `root` is out of range.
Pattern restrict_to_root(const Pattern& pattern, int root);

/// Keeps the transfers of one block, as a pattern of that block alone: allgather becomes the broadcast of the
/// member that has the block. Throws std::invalid_argument when `block` is out of range.
Pattern restrict_to_block(const Pattern& pattern, int block);

/// Without the transfers that bring a member blocks that it has already, where at first the root has all
/// blocks and nobody else has any. Throws std::invalid_argument when the pattern combines or `root` is out of
/// range.
Pattern without_repeats(const Pattern& pattern, int root);

/// `first`, then `second` on the vector that `first` leaves behind. If both keep a block at the same member,
/// nothing is moved in between, because the gather and the scatter of that block cancel. Throws
/// std::invalid_argument when ranks or blocks differ.
Pattern then(const Pattern& first, const Pattern& second);

/// Gives the logical vector of a pattern a place in memory, block by block: a member's own blocks start in
/// its input; a block that it receives or combines goes to the output if the collective wants that block
/// there, else to scratch0. A block that others read in the round in which it is written dodges them: it
/// alternates between its place and the next scratch vector, so that the last write falls on its place.
/// Reductions are three-address, so nothing is copied first; a member's own block that the output needs and
/// no transfer brings is copied in the first round.
Schedule place(const Pattern& pattern, Collective collective, int root = 0);

} // namespace tutti::schedule
