#pragma once

#include "graph/level_tree.hpp"
#include "schedule/recorder.hpp"

#include <cstddef>
#include <span>

namespace tutti::algorithm {

/// The most operands that one member combines in a round: flags are collected one after the other.
inline constexpr int most_operands = 8;

/// What the moves of a round may do with operands of other members. Each names one other member. An operand
/// that is carried must be the right one as well.
enum class Reading : bool { pulled, carried };

/// The places that partial results take, beside the result's own, when any of these runs of operands, cut by
/// graph::cut, is the member's own. The part that needs more goes first (Sethi & Ullman 1970).
int places_needed(std::span<const int> firsts, Reading reading);

/// `tree` with its groups split so that no member combines more than most_operands in a round, nor more than
/// so many places do for.
graph::LevelTree split_to_fit(const graph::LevelTree& tree, int places, Reading reading);

/// Records how a member combines the partial results of consecutive runs of operands in one round. Its own
/// partial result is among them and may lie where the result goes, for it is used first; the others are only
/// read. Partial results wait at the result's blocks in the vectors `spaces`.
class Bracketed {
public:
    /// `firsts` as for graph::cut; `operands` has a place for each run.
    Bracketed(schedule::Recorder& recorder, std::span<const int> firsts,
              std::span<const schedule::Place> operands, std::span<const schedule::Space> spaces,
              Reading reading, const schedule::Place& result)
        : recorder_(recorder), firsts_(firsts), operands_(operands), spaces_(spaces), reading_(reading),
          result_(result) {}

    /// result = all operands, of which the own one is `own`.
    void combine_all(int own) { with_own(0, static_cast<int>(operands_.size()), own); }

    /// result = the operands before `own`, of which there must be one, and then what lies at `current`, if
    /// there is anything. The nearest come first: bracketed as so many operands are.
    void prepend_before(int own, schedule::Place current, bool has_current);

private:
    int cut(int begin, int end) const;
    const schedule::Place& operand(int run) const { return operands_[static_cast<std::size_t>(run)]; }
    schedule::Place temporary(int number) const;
    schedule::Place without_own(int begin, int end, int first);
    schedule::Place left_of_own(int begin, int end);
    schedule::Place with_own(int begin, int end, int own);

    schedule::Recorder& recorder_;
    std::span<const int> firsts_;
    std::span<const schedule::Place> operands_;
    std::span<const schedule::Space> spaces_;
    Reading reading_;
    schedule::Place result_;
};

} // namespace tutti::algorithm
