#include "report/regression.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tutti::bench;
using tutti::Operator;
using tutti::Type;

namespace {

/// 41 samples around `median_us`, at most `spread` of it away.
Point point_of(std::size_t bytes, double median_us, double spread = 0.02) {
    Point point;
    point.provider = "tutti";
    point.problem = make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, bytes, false);
    for (int i = -20; i <= 20; ++i) {
        point.samples_us.push_back(median_us * (1 + spread * i / 20));
    }
    point.time_us = summarise(point.samples_us);
    return point;
}

} // namespace

TEST_CASE("what differs clearly and by enough is faster or slower") {
    const Threshold threshold{.effect = 0.1, .significance = 0.001};
    const Point before = point_of(8, 10);
    CHECK(judge(before, point_of(8, 12), threshold).change == Change::slower);
    CHECK(judge(before, point_of(8, 8), threshold).change == Change::faster);
    CHECK(judge(before, before, threshold).change == Change::same);
    // Clear, but little.
    const Judgement little = judge(before, point_of(8, 10.5), threshold);
    CHECK(little.p_value < 0.001);
    CHECK(little.change == Change::same);
    CHECK(judge(before, point_of(8, 10.5), {.effect = 0.04}).change == Change::slower);
    // Much, but not clear.
    Point few = point_of(8, 20);
    few.samples_us.resize(2);
    CHECK(judge(before, few, threshold).change == Change::same);
    CHECK(judge(point_of(8, 10, 0.9), point_of(8, 11.5, 0.9), threshold).change == Change::same);
}

TEST_CASE("points are compared with those of the same problem, provider and algorithm") {
    std::vector<Point> after{point_of(8, 1), point_of(64, 1), point_of(8, 1), point_of(16, 1)};
    after[1].algorithm = "ring";
    after[2].provider = "openmpi";
    const std::vector<Point> before{point_of(64, 1), point_of(16, 1), point_of(8, 1)};
    const auto judgements = judge_all(before, after, {});
    REQUIRE(judgements.size() == 2);
    CHECK(judgements[0].after == &after[3]);
    CHECK(judgements[1].after == &after[0]);
}
