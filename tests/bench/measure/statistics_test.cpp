#include "../../test.hpp"
#include "measure/statistics.hpp"

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

TEST_CASE("thinned samples are evenly spaced, in their order, and no more than asked for") {
    std::vector<double> samples(1000);
    std::iota(samples.begin(), samples.end(), 0.0);
    CHECK(thinned(samples, 1000) == samples);
    CHECK(thinned(samples, 250).size() == 250);
    CHECK(thinned(samples, 300) == thinned(samples, 250));
    CHECK(thinned(samples, 250)[1] == 4);
    CHECK(thinned({}, 10).empty());
}

TEST_CASE("the Mann-Whitney test of published examples") {
    // No overlap: U = 0, mean 12.5, variance 25 * 11 / 12; z = 12 / 4.787 = 2.507.
    const std::vector<double> low{1, 2, 3, 4, 5};
    const std::vector<double> high{6, 7, 8, 9, 10};
    CHECK(mann_whitney(low, high) == doctest::Approx(0.01219).epsilon(0.001));
    CHECK(mann_whitney(high, low) == mann_whitney(low, high));
    CHECK(mann_whitney(low, low) == 1);
    // R: wilcox.test(c(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46),
    //                c(1.15, 0.88, 0.90, 0.74, 1.21), exact = FALSE)
    const std::vector<double> x{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const std::vector<double> y{1.15, 0.88, 0.90, 0.74, 1.21};
    CHECK(mann_whitney(x, y) == doctest::Approx(0.2448).epsilon(0.01)); // W = 35: z = 9.5 / 8.165
    // All equal, or nothing: no evidence.
    CHECK(mann_whitney(std::vector{1.0, 1.0}, std::vector{1.0, 1.0, 1.0}) == 1);
    CHECK(mann_whitney({}, low) == 1);
    // Ties shrink the variance: ranks 1.5 1.5 3.5 against 3.5 5 6.
    CHECK(mann_whitney(std::vector{1.0, 1.0, 2.0}, std::vector{2.0, 3.0, 4.0}) ==
          doctest::Approx(0.1157).epsilon(0.01));
}

TEST_CASE("the test finds what differs by chance in as many cases as it says") {
    std::mt19937 random(11);
    std::lognormal_distribution<double> noise(0, 0.5);
    int found = 0;
    constexpr int trials = 2000;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> a(40);
        std::vector<double> b(60);
        std::ranges::generate(a, [&] { return noise(random); });
        std::ranges::generate(b, [&] { return noise(random); });
        found += mann_whitney(a, b) < 0.05 ? 1 : 0;
    }
    CHECK(found > trials * 0.03);
    CHECK(found < trials * 0.07);
}

TEST_CASE("a median is unstable where its interval is wider than a quarter of it") {
    CHECK_FALSE(is_unstable({.median = 8, .ci95 = {7, 9}, .p99 = 100, .max = 100, .count = 50}));
    CHECK(is_unstable({.median = 8, .ci95 = {7, 9.1}, .p99 = 9.1, .max = 9.1, .count = 50}));
    CHECK(is_unstable({.median = 8, .ci95 = {8, 21000}, .p99 = 21000, .max = 21000, .count = 50}));
    CHECK_FALSE(is_unstable({}));
}
