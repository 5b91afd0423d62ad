#include "statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tutti::bench;

TEST_CASE("the median is the middle sample, or the mean of the middle two") {
    CHECK(median_of_sorted(std::vector{7.0}) == 7.0);
    CHECK(median_of_sorted(std::vector{1.0, 4.0}) == 2.5);
    CHECK(median_of_sorted(std::vector{1.0, 4.0, 100.0}) == 4.0);
    CHECK(median_of_sorted(std::vector{1.0, 2.0, 4.0, 100.0}) == 3.0);
}

TEST_CASE(
    "the interval of the median encloses 95 % of the binomial distribution, and one rank less does not") {
    using Ranks = std::pair<std::size_t, std::size_t>;
    // Too few samples: the best there is.
    CHECK(median_interval_ranks(1) == Ranks{1, 1});
    CHECK(median_interval_ranks(2) == Ranks{1, 2});
    CHECK(median_interval_ranks(5) == Ranks{1, 5}); // 2 / 32 outside
    // 2 * 1/64 = 3.1 % outside of 1..6.
    CHECK(median_interval_ranks(6) == Ranks{1, 6});
    // 2 * 9/256 = 7.0 % would be outside of 2..7.
    CHECK(median_interval_ranks(8) == Ranks{1, 8});
    // 2 * 10/512 = 3.9 % outside of 2..8; 2 * 46/512 = 18 % of 3..7.
    CHECK(median_interval_ranks(9) == Ranks{2, 8});
    // 2 * (1 + 10 + 45)/1024 = 10.9 % would be outside of 3..8.
    CHECK(median_interval_ranks(10) == Ranks{2, 9});
    // Tables of the sign test.
    CHECK(median_interval_ranks(20) == Ranks{6, 15});
    CHECK(median_interval_ranks(50) == Ranks{18, 33});
    CHECK(median_interval_ranks(100) == Ranks{40, 61});
}

TEST_CASE("the interval of many samples is the normal approximation's") {
    const auto [low, high] = median_interval_ranks(5000);
    // (5000 - 1.96 sqrt 5000) / 2 = 2430.7
    CHECK(low >= 2430);
    CHECK(low <= 2432);
    CHECK(low + high == 5001);
}

TEST_CASE("a summary of the numbers 1 to 100 in any order") {
    std::vector<double> samples(100);
    std::iota(samples.begin(), samples.end(), 1.0);
    std::ranges::shuffle(samples, std::mt19937(7));
    const Summary summary = summarise(samples);
    CHECK(summary.median == 50.5);
    CHECK(summary.ci95 == std::pair(40.0, 61.0));
    CHECK(summary.p99 == 99.0);
    CHECK(summary.max == 100.0);
    CHECK(summary.count == 100);
}

TEST_CASE("the 99th percentile of few samples is the largest") {
    const Summary summary = summarise({5.0, 1.0, 3.0});
    CHECK(summary.median == 3.0);
    CHECK(summary.ci95 == std::pair(1.0, 5.0));
    CHECK(summary.p99 == 5.0);
}

TEST_CASE("no samples give an empty summary") {
    CHECK(summarise({}).count == 0);
    CHECK(summarise({}).median == 0.0);
}
