// k-means in the plane: every iteration adds up, for each cluster, the points that are nearest to its centre.
// With Tutti each thread adds up its own points, and one allreduce gives everybody the sums of all. Beside it
// OpenMP's reduction of an array, on the same threads:  k_means [points] [threads]

#include "k_means.hpp"

#include "in_turns.hpp"

#include <tutti/tutti.hpp>

#include <omp.h>

#include <cstdio>
#include <cstdlib>

static void with_tutti(const Points& points, Points& result, tutti::Group& group) {
#pragma omp parallel num_threads(group.size())
    {
        tutti::Member me = group.join(omp_get_thread_num());
        iterate(points, result, [&](Points& sums) -> const Points& {
            me.allreduce(sums, tutti::sum);
            return sums;
        });
    }
}

static void by_hand(const Points& points, Points& centres, int threads) {
    Points sums(2 * clusters);
    auto* const numbers = reinterpret_cast<double*>(sums.data()); // OpenMP adds up no complex ones
#pragma omp parallel num_threads(threads)
    for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma omp for reduction(+ : numbers[:4 * clusters])
        for (std::size_t i = 0; i < points.size(); ++i) {
            add_to_nearest(points[i], centres, reinterpret_cast<std::complex<double>*>(numbers));
        }
#pragma omp single
        {
            move(centres, sums);
            std::ranges::fill(sums, 0.0);
        }
    }
}

int main(int argc, char** argv) {
    const Points points = points_of(0, argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 10'000);
    Points start(points.begin(), points.begin() + clusters), tutti, hand;
    tutti::Group group(argc > 2 ? std::atoi(argv[2]) : 2);
    const auto us = in_turns(21, {[&] { with_tutti(points, tutti = start, group); },
                                  [&] { by_hand(points, hand = start, group.size()); }});
    std::printf("%zu points, %d threads; an iteration with an allreduce %.1f us, with OpenMP's reduction "
                "%.1f us\n",
                points.size(), group.size(), us[0] / iterations, us[1] / iterations);
    return tutti == hand && tutti != start ? 0 : 1;
}
