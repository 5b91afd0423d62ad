#include "../../test.hpp"
#include "report/comparison.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::bench;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;

namespace {

Point point_of(std::size_t bytes, double median_us, std::optional<double> floor_us = std::nullopt) {
    Point point;
    point.provider = "tutti";
    point.problem = make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, bytes, false);
    point.samples_us = std::vector<double>(64, median_us);
    point.time_us = summarise(point.samples_us);
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

TEST_CASE("points count as lost by the test of two files, also back to back, and unstable ones in no mean") {
    std::vector own{point_of(8, 10), point_of(16, 10), point_of(32, 10)};
    std::vector baseline{point_of(8, 9.5), point_of(16, 5), point_of(32, 20)};
    baseline[1].samples_us = own[1].samples_us; // half the median, but not by the test
    own[2].time_us.ci95 = {1, 20};
    own[0].loop_us = own[1].loop_us = own[2].loop_us = 2;
    baseline[0].loop_us = 1.9;
    baseline[1].loop_us = 1;
    const Comparison comparison = compare(own, baseline);
    CHECK(comparison.lost.empty());
    CHECK(comparison.loops == 2);
    CHECK(comparison.lost_loops == std::vector<const Point*>{&own[1]});
    CHECK(comparison.unstable == 1);
    CHECK(comparison.points == 2);
    CHECK(comparison.all() == 3);
    CHECK(comparison.mean_speedup == doctest::Approx(0.689202)); // (0.95 * 0.5)^(1/2)
    CHECK(is_way_of_calling("tutti_started"));
    CHECK_FALSE(is_way_of_calling("tutti"));
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
