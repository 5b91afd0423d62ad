#include "../../test.hpp"
#include "measure/point.hpp"

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
    point.time_us.median = median_us;
    point.floor_us = floor_us;
    return point;
}

} // namespace

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
