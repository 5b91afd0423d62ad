#include "report/comparison.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace tutti::bench;
using tutti::Operator;
using tutti::Type;

namespace {

Point point_of(std::size_t bytes, double median_us, std::optional<double> floor_us = std::nullopt) {
    Point point;
    point.provider = "tutti";
    point.problem = make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, bytes, false);
    point.time_us.median = median_us;
    point.floor_us = floor_us;
    return point;
}

} // namespace

TEST_CASE("the mean of the speed-ups is geometric, and lost points are named") {
    const std::vector own{point_of(8, 1, 0.5), point_of(16, 1), point_of(32, 2, 3), point_of(64, 1)};
    const std::vector baseline{point_of(8, 2), point_of(16, 16), point_of(32, 1)};
    const Comparison comparison = compare(own, baseline);
    CHECK(comparison.points == 3);
    CHECK(comparison.mean_speedup == doctest::Approx(2.519842));  // (2 * 16 * 0.5)^(1/3)
    CHECK(comparison.mean_at_floor == doctest::Approx(3.174802)); // (4 * 16 * 0.5)^(1/3)
    REQUIRE(comparison.lost.size() == 1);
    CHECK(comparison.lost[0]->problem.bytes() == 32);
}

TEST_CASE("points are sorted out by provider, and the better of two is taken problem by problem") {
    std::vector<Point> points{point_of(8, 2), point_of(16, 16), point_of(8, 1), point_of(16, 20)};
    points[0].provider = points[1].provider = "openmpi";
    points[2].provider = points[3].provider = "mpich";
    CHECK(providers_of(points) == std::vector<std::string>{"openmpi", "mpich"});
    const auto better = better_of(points_of(points, "openmpi"), points_of(points, "mpich"), "either");
    REQUIRE(better.size() == 2);
    CHECK(better[0].time_us.median == 1);
    CHECK(better[1].time_us.median == 16);
    CHECK(better[1].provider == "either");
    CHECK(better_of(points_of(points, "openmpi"), {}, "either").empty());
}

TEST_CASE("only the library's own choice of algorithm is compared") {
    std::vector own{point_of(8, 1, 0.1)};
    own[0].algorithm = "circulant";
    CHECK(compare(own, std::vector{point_of(8, 2)}).points == 0);
    CHECK(worst_floor_ratio(own, 0) == nullptr);
}

TEST_CASE("the worst ratio to the floor is taken from the given size on") {
    const std::vector points{point_of(8, 100, 1.0), point_of(1024, 3, 2.0), point_of(2048, 2.2, 2.0),
                             point_of(4096, 1000)};
    CHECK(floor_ratio(points[1]) == 1.5);
    CHECK_FALSE(floor_ratio(points[3]));
    CHECK(worst_floor_ratio(points, 1024) == &points[1]);
    CHECK(worst_floor_ratio(points, 2048) == &points[2]);
    CHECK(worst_floor_ratio(points, 4096) == nullptr);
}

TEST_CASE("the points of several rounds become one for each problem, provider and algorithm") {
    std::vector<Point> rounds;
    for (const double us : {5.0, 1.0, 9.0}) {
        Point point = point_of(8, us, us / 2);
        point.samples_us = {us, us, us};
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
    Point point = point_of(1024, 1.5, 1.25);
    point.time_us = {.median = 1.5, .ci95 = {1.25, 1.75}, .p99 = 3, .max = 4, .count = 77};
    point.loop_us = 0.5;
    point.samples_us = {1.5, 1, 4};
    point.wrong = 3;
    const Point back = point_from_json(to_json(point));
    CHECK(back.problem == point.problem);
    CHECK(back.time_us.ci95 == point.time_us.ci95);
    CHECK(back.time_us.count == 77);
    CHECK(back.floor_us == point.floor_us);
    CHECK(back.loop_us == point.loop_us);
    CHECK_FALSE(back.exchange_us);
    CHECK(back.samples_us == point.samples_us);
    CHECK(back.wrong == 3);
}

TEST_CASE("a CSV line has as many fields as the header") {
    const auto commas = [](const std::string& text) { return std::ranges::count(text, ','); };
    CHECK(commas(to_csv(point_of(8, 1))) == commas(csv_header()));
}
