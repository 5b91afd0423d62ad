#include "schedule/wait_order.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace tutti::schedule {

namespace {

/// Whether so few waits are better compared than counted.
bool is_short(const std::vector<Wait>& waits, std::size_t ranks, std::size_t points) {
    return 8 * waits.size() < ranks + 2 * points;
}

} // namespace

template <class Digit>
void WaitOrder::pass(std::vector<Wait>& waits, std::size_t limit, Digit digit) {
    first_.assign(limit + 1, 0);
    for (const Wait& wait : waits) {
        ++first_[digit(wait) + 1];
    }
    for (std::size_t value = 1; value < first_.size(); ++value) {
        first_[value] += first_[value - 1];
    }
    spare_.resize(waits.size());
    for (const Wait& wait : waits) {
        spare_[first_[digit(wait)]++] = wait;
    }
    waits.swap(spare_);
}

void WaitOrder::by_member(std::vector<Wait>& waits) {
    const auto key = [](const Wait& wait) { return std::tuple(wait.member, wait.before_round, -wait.point); };
    if (std::ranges::is_sorted(waits, {}, key)) {
        return;
    }
    if (is_short(waits, ranks_, points_)) {
        std::ranges::sort(waits, {}, key);
        return;
    }
    pass(waits, points_,
         [&](const Wait& wait) { return points_ - 1 - static_cast<std::size_t>(wait.point); });
    pass(waits, points_, [](const Wait& wait) { return static_cast<std::size_t>(wait.before_round); });
    pass(waits, ranks_, [](const Wait& wait) { return static_cast<std::size_t>(wait.member); });
}

void WaitOrder::by_round(std::vector<Wait>& waits) {
    const auto key = [](const Wait& wait) { return std::tuple(wait.before_round, -wait.point, wait.member); };
    if (std::ranges::is_sorted(waits, {}, key)) {
        return;
    }
    if (is_short(waits, ranks_, points_)) {
        std::ranges::sort(waits, {}, key);
        return;
    }
    pass(waits, ranks_, [](const Wait& wait) { return static_cast<std::size_t>(wait.member); });
    pass(waits, points_,
         [&](const Wait& wait) { return points_ - 1 - static_cast<std::size_t>(wait.point); });
    pass(waits, points_, [](const Wait& wait) { return static_cast<std::size_t>(wait.before_round); });
}

} // namespace tutti::schedule
