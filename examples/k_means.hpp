#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <vector>

using Points = std::vector<std::complex<double>>;
constexpr int clusters = 16, iterations = 50;

/// Those of one process. Whole numbers, which add up exactly in any order.
inline Points points_of(int process, std::size_t count) {
    Points points(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t number = static_cast<std::size_t>(process) * count + i;
        points[i] = {static_cast<double>(number * number % 1009), static_cast<double>(number * 7919 % 997)};
    }
    return points;
}

/// `sums` has the sum of each cluster's points, and behind these how many they are.
inline void add_to_nearest(std::complex<double> point, const Points& centres, std::complex<double>* sums) {
    const auto distance = [&](std::complex<double> centre) { return std::norm(point - centre); };
    const auto nearest = std::ranges::min_element(centres, {}, distance) - centres.begin();
    sums[nearest] += point;
    sums[clusters + nearest] += 1;
}

/// To the means.
inline void move(Points& centres, const Points& sums) {
    for (std::size_t i = 0; i < clusters; ++i) {
        centres[i] = sums[clusters + i] == 0.0 ? centres[i] : sums[i] / sums[clusters + i].real();
    }
}

/// The part of one thread of a parallel region, with `sum_of_all(sums)` for the sums of all.
template <class Sum>
void iterate(const Points& points, Points& result, Sum sum_of_all) {
    Points centres = result, sums(2 * clusters); // of its own
    for (int iteration = 0; iteration < iterations; ++iteration) {
        std::ranges::fill(sums, 0.0);
#pragma omp for nowait
        for (std::size_t i = 0; i < points.size(); ++i) {
            add_to_nearest(points[i], centres, sums.data());
        }
        move(centres, sum_of_all(sums));
    }
#pragma omp master
    result = centres;
}
