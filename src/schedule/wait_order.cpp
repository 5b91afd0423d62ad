#include "schedule/wait_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tutti::schedule {

namespace {

/// Whether so few waits are better compared than counted.
bool is_short(const std::vector<Wait>& waits, std::size_t ranks, std::size_t points) {
    return 8 * waits.size() < ranks + 2 * points;
}

} // namespace

std::size_t WaitOrder::values_of(Digit digit) const {
    return digit == Digit::member ? ranks_ : points_;
}

std::size_t WaitOrder::value_of(const Wait& wait, Digit digit) const {
    switch (digit) {
    case Digit::member:
        return static_cast<std::size_t>(wait.member);
    case Digit::round:
        return static_cast<std::size_t>(wait.before_round);
    case Digit::weakness:
        break;
    }
    return points_ - 1 - static_cast<std::size_t>(wait.point);
}

/// Keeps the order of those that are equal in this digit.
void WaitOrder::pass(std::vector<Wait>& waits, Digit digit) {
    if (std::ranges::is_sorted(waits, {}, [&](const Wait& wait) { return value_of(wait, digit); })) {
        return;
    }
    first_.assign(values_of(digit) + 1, 0);
    for (const Wait& wait : waits) {
        ++first_[value_of(wait, digit) + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    spare_.resize(waits.size());
    for (const Wait& wait : waits) {
        spare_[first_[value_of(wait, digit)]++] = wait;
    }
    waits.swap(spare_);
}

void WaitOrder::sort(std::vector<Wait>& waits, const std::array<Digit, 3>& digits) {
    const auto key = [&](const Wait& wait) {
        return std::tuple(value_of(wait, digits[0]), value_of(wait, digits[1]), value_of(wait, digits[2]));
    };
    if (std::ranges::is_sorted(waits, {}, key)) {
        return;
    }
    if (is_short(waits, ranks_, points_)) {
        std::ranges::sort(waits, {}, key);
        return;
    }
    for (std::size_t digit = digits.size(); digit-- > 0;) {
        pass(waits, digits[digit]);
    }
}

void WaitOrder::by_member(std::vector<Wait>& waits) {
    sort(waits, {Digit::member, Digit::round, Digit::weakness});
}

void WaitOrder::by_round(std::vector<Wait>& waits) {
    sort(waits, {Digit::round, Digit::weakness, Digit::member});
}

} // namespace tutti::schedule
