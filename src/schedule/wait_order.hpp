#pragma once

#include "schedule/synchronise.hpp"

#include <cstdint>
#include <vector>

namespace tutti::schedule {

/// Puts lists of waits into order, digit by digit: their fields are small numbers, and lists are many. Time
/// O(waits + ranks + rounds) for long lists.
class WaitOrder {
public:
    WaitOrder(int ranks, int rounds)
        : ranks_(static_cast<std::size_t>(ranks)), points_(static_cast<std::size_t>(rounds) + 1) {}

    /// By member, then by round, then the strongest first.
    void by_member(std::vector<Wait>& waits);
    /// By round, then the strongest first, then by member.
    void by_round(std::vector<Wait>& waits);

private:
    /// Keeps the order of those that are equal in this digit, which is less than `limit`.
    template <class Digit>
    void pass(std::vector<Wait>& waits, std::size_t limit, Digit digit);

    std::size_t ranks_;
    std::size_t points_;
    std::vector<std::uint32_t> first_;
    std::vector<Wait> spare_;
};

} // namespace tutti::schedule
