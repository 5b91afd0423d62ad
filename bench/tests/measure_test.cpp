// What is measured: problems, statistics of samples, bandwidths and points.
#include "bench/tests/command.hpp"
#include "measure/statistics.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::bench;
using namespace tutti::test;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;

TEST_CASE("problems have whole elements and, where there are blocks, whole blocks") {
    const Problem tiny = make_problem(Collective::allreduce, Type::f64, Operator::sum, 8, 1, false);
    CHECK(tiny.bytes() == 8);
    const Problem scattered = make_problem(Collective::reduce_scatter, Type::f64, Operator::sum, 8, 8, false);
    CHECK(scattered.bytes() == 64);
    CHECK(scattered.input_elements(3) == 8);
    CHECK(scattered.output_elements(3) == 1);
    const Problem gathered = make_problem(Collective::allgather, Type::i32, Operator::sum, 3, 100, false);
    CHECK(gathered.bytes() == 96);
    CHECK(gathered.input_elements(1) == 8);
    CHECK(gathered.output_elements(1) == 24);
    CHECK(make_problem(Collective::barrier, Type::f64, Operator::sum, 3, 100, false).bytes() == 0);
}

TEST_CASE("names are taken as others write them, and unknown ones are answered with those there are") {
    for (const char* name : {"reduce_scatter", "reduce-scatter", "ReduceScatter"}) {
        CHECK(parse_collective(name) == Collective::reduce_scatter);
    }
    CHECK(parse_collective("all-to-all") == Collective::alltoall);
    CHECK(parse_collective("bcast") == Collective::broadcast);
    CHECK(parse_type("complex64") == Type::complex64);
    CHECK(parse_type("double") == Type::f64);
    CHECK(parse_operator("SUM") == Operator::sum);
    CHECK_THROWS_WITH_AS(parse_collective("gossip"),
                         "\"gossip\" is no collective; there are: barrier, broadcast, reduce, allreduce, "
                         "reduce_scatter, allgather, gather, scatter, alltoall, scan, exscan, shift",
                         std::invalid_argument);
    CHECK_THROWS_AS(parse_type("other"), std::invalid_argument);
    CHECK_THROWS_AS(parse_operator("callable"), std::invalid_argument);
    CHECK_NOTHROW(check_operator(Type::u8, Operator::band));
    CHECK_THROWS_AS(check_operator(Type::complex128, Operator::min), std::invalid_argument);
    CHECK_THROWS_AS(check_operator(Type::f64, Operator::band), std::invalid_argument);
}

TEST_CASE(
    "the interval of the median encloses 95 % of the binomial distribution, and one rank less does not") {
    using Ranks = std::pair<std::size_t, std::size_t>;
    CHECK(median_interval_ranks(1) == Ranks{1, 1}); // too few samples: the best there is
    CHECK(median_interval_ranks(5) == Ranks{1, 5}); // 2 / 32 outside
    CHECK(median_interval_ranks(8) == Ranks{1, 8}); // 2 * 9/256 = 7.0 % would be outside of 2..7
    CHECK(median_interval_ranks(9) == Ranks{2, 8}); // 2 * 10/512 = 3.9 % outside; 2 * 46/512 = 18 % of 3..7
    // Tables of the sign test.
    CHECK(median_interval_ranks(50) == Ranks{18, 33});
    // Of many, those of the normal approximation: (5000 - 1.96 sqrt 5000) / 2 = 2430.7.
    const auto [low, high] = median_interval_ranks(5000);
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
    // Of few samples, the 99th percentile is the largest.
    const Summary few = summarise({5.0, 1.0, 3.0});
    CHECK(few.median == 3.0);
    CHECK(few.ci95 == std::pair(1.0, 5.0));
    CHECK(few.p99 == 5.0);
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

TEST_CASE("a median is unstable where its interval is wider than a quarter of it") {
    CHECK_FALSE(is_unstable({.median = 8, .ci95 = {7, 9}, .p99 = 100, .max = 100, .count = 50}));
    CHECK(is_unstable({.median = 8, .ci95 = {7, 9.1}, .p99 = 9.1, .max = 9.1, .count = 50}));
    CHECK_FALSE(is_unstable({}));
}

namespace {

constexpr std::size_t million = 1'000'000;

Problem million_bytes(Collective collective, int members) {
    return make_problem(collective, Type::f64, Operator::sum, members, million, false);
}

/// Factors as nccl-tests state them, (per_member * n + constant) / n among n: doc/PERFORMANCE.md, "Summary"
/// (commit 03a204a); of gather, scatter and send and receive src/gather.cu, scatter.cu, sendrecv.cu.
struct StatedFactor {
    const char* name;
    Collective collective;
    double per_member;
    double constant;
};
constexpr StatedFactor stated[] = {
    {"AllReduce", Collective::allreduce, 2, -2}, {"ReduceScatter", Collective::reduce_scatter, 1, -1},
    {"AllGather", Collective::allgather, 1, -1}, {"Broadcast", Collective::broadcast, 1, 0},
    {"Reduce", Collective::reduce, 1, 0},        {"AlltoAll", Collective::alltoall, 1, -1},
    {"Gather", Collective::gather, 1, -1},       {"Scatter", Collective::scatter, 1, -1},
    {"SendRecv", Collective::shift, 1, 0},       {"none", Collective::scan, 1, 0},
    {"none", Collective::exscan, 1, 0},
};

} // namespace

TEST_CASE("bandwidths are bytes over time, and the same with the factors of nccl-tests") {
    CHECK(*algorithm_bandwidth(million_bytes(Collective::scan, 4), 100) == doctest::Approx(10));
    CHECK_FALSE(algorithm_bandwidth(million_bytes(Collective::scan, 4), 0));
    for (const StatedFactor& each : stated) {
        CAPTURE(each.name);
        for (const int members : {1, 3, 100}) {
            CHECK(*bus_factor(each.collective, members) ==
                  doctest::Approx((each.per_member * members + each.constant) / members));
        }
    }
    CHECK(*bus_bandwidth(million_bytes(Collective::allreduce, 4), 100) == doctest::Approx(15));
    CHECK_FALSE(bus_bandwidth(million_bytes(Collective::barrier, 4), 100));
}

TEST_CASE("the points of several rounds become one for each problem, provider and algorithm") {
    std::vector<Point> rounds;
    for (const double us : {5.0, 1.0, 9.0}) {
        Point point = point_with(8, {us, us, us});
        point.floor_us = us / 2;
        point.time_us = {.median = us, .ci95 = {us, us}, .p99 = us, .max = us + 1, .count = 30};
        point.loop_us = us / 5;
        point.exchange_us = us / 10;
        point.wrong = 1;
        rounds.push_back(point);
        point.provider = "openmpi";
        point.loop_us.reset();
        rounds.push_back(point);
    }
    const std::vector<Point> whole = pooled(rounds);
    REQUIRE(whole.size() == 2);
    CHECK(whole[1].provider == "openmpi");
    CHECK_FALSE(whole[1].loop_us.has_value());
    const Point& own = whole[0];
    CHECK(own.samples_us == std::vector<double>{5, 5, 5, 1, 1, 1, 9, 9, 9});
    CHECK(own.time_us.median == 5);
    CHECK(own.time_us.max == 10);
    CHECK(own.time_us.count == 90);
    CHECK(own.floor_us == 2.5);
    CHECK(own.loop_us == 1);
    CHECK(own.exchange_us == 0.5);
    CHECK(own.wrong == 3);
}

TEST_CASE("a point survives the way through JSON") {
    Point point = point_with(1024, {1.5, 1, 4});
    point.floor_us = 1.25;
    point.time_us = {.median = 1.5, .ci95 = {1.25, 1.75}, .p99 = 3, .max = 4, .count = 77};
    point.loop_us = 0.5;
    point.wrong = 3;
    CHECK(to_json(point_from_json(to_json(point))) == to_json(point));
}
