#pragma once

#include "schedule/waits.hpp"

#include <array>
#include <cstddef>
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
    /// The keys of the comparison; a wait is the weaker the earlier its point.
    enum class Digit : std::uint8_t { member, round, weakness };

    std::size_t values_of(Digit digit) const;
    std::size_t value_of(const Wait& wait, Digit digit) const;
    void pass(std::vector<Wait>& waits, Digit digit);
    /// The first digit counts most.
    void sort(std::vector<Wait>& waits, const std::array<Digit, 3>& digits);

    std::size_t ranks_;
    std::size_t points_;
    std::vector<std::uint32_t> first_;
    std::vector<Wait> spare_;
};

} // namespace tutti::schedule
