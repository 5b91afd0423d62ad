#include "algorithm/bracketed.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::algorithm {

using graph::LevelTree;
using schedule::Place;

namespace {

std::span<const int> left_part(std::span<const int> firsts) {
    return firsts.subspan(0, static_cast<std::size_t>(graph::cut(firsts)) + 1);
}

std::span<const int> right_part(std::span<const int> firsts) {
    return firsts.subspan(static_cast<std::size_t>(graph::cut(firsts)));
}

bool is_one(std::span<const int> firsts) {
    return firsts.size() == 2;
}

/// Of a part without the own operand: where both sides are operands the left one is copied, and where only
/// the left one is, and is carried, it is as well.
int places_of_others(std::span<const int> firsts, Reading reading) {
    if (is_one(firsts)) {
        return 0;
    }
    const std::span<const int> left = left_part(firsts);
    const std::span<const int> right = right_part(firsts);
    const int of_left = places_of_others(left, reading);
    const int of_right = places_of_others(right, reading);
    if (is_one(left)) {
        return std::max(of_right, is_one(right) ? 1 : reading == Reading::carried ? 2 : 1);
    }
    return of_left == of_right ? of_left + 1 : std::max(of_left, of_right);
}

bool fits(const LevelTree& tree, int places, Reading reading) {
    for (int level = 0; level < tree.last(); ++level) {
        for (int number = 0; number < tree.groups(level); ++number) {
            if (places_needed(tree.firsts_of_children(level, number), reading) > places) {
                return false;
            }
        }
    }
    return true;
}

} // namespace

int places_needed(std::span<const int> firsts, Reading reading) {
    if (is_one(firsts)) {
        return 0;
    }
    const std::span<const int> left = left_part(firsts);
    const std::span<const int> right = right_part(firsts);
    const int before_own = is_one(left) && reading == Reading::carried ? 1 : places_of_others(left, reading);
    return std::max({before_own, places_of_others(right, reading), places_needed(left, reading),
                     places_needed(right, reading)});
}

// Of two operands one is the own one.
LevelTree split_to_fit(const LevelTree& tree, int places, Reading reading) {
    for (int most = most_operands; most > 2; most /= 2) {
        if (LevelTree split = tree.split(most); fits(split, places, reading)) {
            return split;
        }
    }
    return tree.split(2);
}

void Bracketed::prepend_before(int own, Place current, bool has_current) {
    int begin = 0;
    int end = static_cast<int>(operands_.size());
    // The parts on the left of `own`, outermost first.
    std::vector<std::pair<int, int>> left;
    while (end - begin > 1) {
        const int middle = cut(begin, end);
        if (own < middle) {
            end = middle;
        } else {
            left.emplace_back(begin, middle);
            begin = middle;
        }
    }
    std::ranges::reverse(left);
    for (const auto& [first, last] : left) {
        if (has_current) {
            recorder_.reduce(result_, left_of_own(first, last), current);
        } else {
            recorder_.copy(result_, without_own(first, last, 0));
        }
        current = result_;
        has_current = true;
    }
}

int Bracketed::cut(int begin, int end) const {
    return begin + graph::cut(firsts_.subspan(static_cast<std::size_t>(begin),
                                              static_cast<std::size_t>(end - begin) + 1));
}

Place Bracketed::temporary(int number) const {
    Place place = result_;
    place.space = spaces_[static_cast<std::size_t>(number)];
    return place;
}

/// Where the result of this part is then; the places before `first` are taken.
Place Bracketed::without_own(int begin, int end, int first) {
    if (end - begin == 1) {
        return operand(begin);
    }
    const int middle = cut(begin, end);
    const auto needed = [&](int from, int to) {
        return places_of_others(
            firsts_.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from) + 1),
            reading_);
    };
    const Place to = temporary(first);
    Place left;
    Place right;
    if (middle - begin == 1 && end - middle == 1) {
        left = to;
        recorder_.copy(left, operand(begin));
        right = operand(middle);
    } else if (middle - begin == 1) {
        right = without_own(middle, end, first);
        left = operand(begin);
        if (reading_ == Reading::carried) {
            left = temporary(first + 1);
            recorder_.copy(left, operand(begin));
        }
    } else if (needed(begin, middle) >= needed(middle, end)) {
        left = without_own(begin, middle, first);
        right = without_own(middle, end, first + 1);
    } else {
        right = without_own(middle, end, first);
        left = without_own(begin, middle, first + 1);
    }
    recorder_.reduce(to, left, right);
    return to;
}

/// The same for a part that is combined with the own one on its right.
Place Bracketed::left_of_own(int begin, int end) {
    if (end - begin > 1 || reading_ == Reading::pulled) {
        return without_own(begin, end, 0);
    }
    recorder_.copy(temporary(0), operand(begin));
    return temporary(0);
}

Place Bracketed::with_own(int begin, int end, int own) {
    if (end - begin == 1) {
        return operand(own);
    }
    const int middle = cut(begin, end);
    if (own < middle) {
        const Place left = with_own(begin, middle, own);
        recorder_.reduce(result_, left, without_own(middle, end, 0));
    } else {
        const Place right = with_own(middle, end, own);
        recorder_.reduce(result_, left_of_own(begin, middle), right);
    }
    return result_;
}

} // namespace tutti::algorithm
