#pragma once

#include "schedule/recorder.hpp"

namespace tutti::algorithm {

/// Records count - 1 rounds in which a member combines the operands 0 .. count - 1 from the left, one of
/// another member a round, in rank order: result = operand(0) op operand(1) op ... Its own is operand `own`,
/// and joins in when its turn comes. The operands before it are gathered in `before`, which may be `result`
/// unless that is the own operand. For count = 1 one round that copies. Invariant: after round k the operands
/// up to k + 1 are combined (up to k if the own one is not among them).
template <class OperandAt>
void combine_in_rank_order(schedule::Recorder& recorder, const schedule::Place& result,
                           const schedule::Place& before, int own, int count, OperandAt operand) {
    if (count == 1) {
        recorder.round().copy(result, operand(0));
        return;
    }
    for (int index = 0; index < count; ++index) {
        if (index == own) {
            if (own > 1) {
                recorder.reduce(result, before, operand(own));
            }
            continue;
        }
        recorder.round();
        if (index == 0 && own != 1) {
            recorder.copy(before, operand(0));
        } else if (index <= 1 && own <= 1) {
            recorder.reduce(result, operand(0), operand(1));
        } else if (index < own) {
            recorder.reduce(before, before, operand(index));
        } else {
            recorder.reduce(result, result, operand(index));
        }
    }
}

} // namespace tutti::algorithm
