#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

/// The median microseconds of each of `ways`, which take turns, so that whatever else the machine does hits
/// them alike. Each is called once before it is timed.
inline std::vector<double> in_turns(int rounds, const std::vector<std::function<void()>>& ways) {
    std::vector<std::vector<double>> times(ways.size());
    for (int round = -1; round < rounds; ++round) {
        for (std::size_t way = 0; way < ways.size(); ++way) {
            const auto start = std::chrono::steady_clock::now();
            ways[way]();
            const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
            if (round >= 0) {
                times[way].push_back(taken.count());
            }
        }
    }
    std::vector<double> medians;
    for (std::vector<double>& each : times) {
        std::ranges::sort(each);
        medians.push_back(each[each.size() / 2]);
    }
    return medians;
}
