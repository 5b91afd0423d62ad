#pragma once

#include "graph/level_tree.hpp"
#include "schedule/recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace tutti::algorithm {

/// The most operands that one member combines in a round. Twice as many would ask for a third vector of
/// scratch, and flags are collected one after the other.
inline constexpr int most_operands = 8;

/// Records how a member combines the partial results of consecutive runs of operands in one round, bracketed
/// as graph::cut says. Its own partial result is among them and may lie where the result goes, for it is used
/// first; the others are only read. `Operand` makes a place of the number of a run.
///
/// Partial results wait at temporary(0), temporary(1), ...: a binary tree of n leaves needs floor(log2 n)
/// places when the part that needs more goes first (Sethi & Ullman 1970), and what is not combined with the
/// own part at once has at most most_operands - 1 leaves. So two places do.
template <class Operand>
class Bracketed {
public:
    /// `firsts` as for graph::cut. `temporary` gives the place to partial results, where its space is
    /// replaced by those of `spaces`.
    Bracketed(schedule::Recorder& recorder, std::span<const int> firsts, const schedule::Place& result,
              std::span<const schedule::Space> spaces, Operand operand)
        : recorder_(recorder), firsts_(firsts), result_(result), spaces_(spaces),
          operand_(std::move(operand)) {}

    /// result = all operands, of which the own one is `own`.
    void combine_all(int own) { with_own(0, runs(), own); }

    /// result = the operands before `own`, of which there must be one, and then what lies at `current`, if
    /// there is anything. The nearest come first: bracketed as so many operands are.
    void prepend_before(int own, schedule::Place current, bool has_current) {
        int begin = 0;
        int end = runs();
        // The parts on the left of `own`, outermost first.
        std::vector<std::pair<int, int>> left;
        while (end - begin > 1) {
            const int middle = begin + cut(begin, end);
            if (own < middle) {
                end = middle;
            } else {
                left.emplace_back(begin, middle);
                begin = middle;
            }
        }
        for (std::size_t i = left.size(); i-- > 0;) {
            const schedule::Place part = without_own(left[i].first, left[i].second, 0);
            if (has_current) {
                recorder_.reduce(result_, part, current);
            } else {
                recorder_.copy(result_, part);
            }
            current = result_;
            has_current = true;
        }
    }

private:
    int runs() const { return static_cast<int>(firsts_.size()) - 1; }

    int cut(int begin, int end) const {
        const auto first = static_cast<std::size_t>(begin);
        return graph::cut(firsts_.subspan(first, static_cast<std::size_t>(end - begin) + 1));
    }

    /// The places that the partial results of this part take.
    int places(int begin, int end) const {
        if (end - begin == 1) {
            return 0;
        }
        const int middle = begin + cut(begin, end);
        const int left = places(begin, middle);
        const int right = places(middle, end);
        return left == right ? left + 1 : std::max(left, right);
    }

    schedule::Place temporary(int number) const {
        schedule::Place place = result_;
        place.space = spaces_[static_cast<std::size_t>(number)];
        return place;
    }

    /// Where the result of this part is then; the places before `first` are taken.
    schedule::Place without_own(int begin, int end, int first) {
        if (end - begin == 1) {
            return operand_(begin);
        }
        const int middle = begin + cut(begin, end);
        const int of_left = places(begin, middle);
        const int of_right = places(middle, end);
        schedule::Place left;
        schedule::Place right;
        if (of_left >= of_right) {
            left = without_own(begin, middle, first);
            right = without_own(middle, end, first + (of_left > 0 ? 1 : 0));
        } else {
            right = without_own(middle, end, first);
            left = without_own(begin, middle, first + 1);
        }
        recorder_.reduce(temporary(first), left, right);
        return temporary(first);
    }

    schedule::Place with_own(int begin, int end, int own) {
        if (end - begin == 1) {
            return operand_(own);
        }
        const int middle = begin + cut(begin, end);
        if (own < middle) {
            const schedule::Place left = with_own(begin, middle, own);
            recorder_.reduce(result_, left, without_own(middle, end, 0));
        } else {
            const schedule::Place right = with_own(middle, end, own);
            recorder_.reduce(result_, without_own(begin, middle, 0), right);
        }
        return result_;
    }

    schedule::Recorder& recorder_;
    std::span<const int> firsts_;
    schedule::Place result_;
    std::span<const schedule::Space> spaces_;
    Operand operand_;
};

} // namespace tutti::algorithm
