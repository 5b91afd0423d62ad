#pragma once

#include "schedule/schedule.hpp"

#include <utility>

namespace tutti::schedule {

/// Writes one member's program, move by move, for the algorithms that are their own thing rather than
/// derived.
class Recorder {
public:
    Recorder() = default;
    /// With memory for so many of them.
    Recorder(std::size_t rounds, std::size_t moves) { program_.reserve(rounds, moves); }

    /// Starts the next round.
    Recorder& round() {
        program_.extend_to(program_.size() + 1);
        return *this;
    }

    /// to = from
    Recorder& copy(const Place& to, const Place& from) { return add({to, from, {}, false}); }

    /// to = left op right
    Recorder& reduce(const Place& to, const Place& left, const Place& right) {
        return add({to, left, right, true});
    }

    /// to = operands[0] op operands[1] op ..., of one operand or more, in one pass.
    Recorder& combine(const Place& to, std::span<const Place> operands) {
        if (operands.size() == 1) {
            return copy(to, operands[0]);
        }
        reduce(to, operands[0], operands[1]);
        for (const Place& operand : operands.subspan(2)) {
            add({to, operand, {}, true, Prefix::none, true});
        }
        return *this;
    }

    /// to = x_0 op x_1 op ... op x_{p-1}, where x_i are these blocks of `space` at member i
    Recorder& reduce_every(const Place& to, Space space) {
        return add({to, {every, space, to.blocks}, {}, true});
    }

    /// to = x_0 op x_1 op ... op x_{count-1}, of the first members
    Recorder& reduce_first(int count, const Place& to, Space space) {
        return add({to, {first_members(count), space, to.blocks}, {}, true});
    }

    Program take() { return std::exchange(program_, {}); }

private:
    Recorder& add(const Move& move) {
        program_.add(move);
        return *this;
    }

    Program program_;
};

/// Records count - 1 rounds in which a member combines the operands 0 .. count - 1 from the left, one of
/// another member a round, in rank order: result = operand(0) op operand(1) op ... Its own is operand `own`,
/// and joins in when its turn comes. The operands before it are gathered in `before`, which may be `result`
/// unless that is the own operand. For count = 1 one round that copies. Invariant: after round k the operands
/// up to k + 1 are combined (up to k if the own one is not among them).
template <class OperandAt>
void combine_in_rank_order(Recorder& recorder, const Place& result, const Place& before, int own, int count,
                           OperandAt operand) {
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

} // namespace tutti::schedule
