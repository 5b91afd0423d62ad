#include "../../test.hpp"
#include "report/regression.hpp"

using namespace tutti::bench;
using tutti::Collective;
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
    CHECK(judge(before, few, threshold).change == Change::not_significant);
    CHECK(judge(point_of(8, 10, 0.9), point_of(8, 11.5, 0.9), threshold).change == Change::not_significant);
    const std::vector<Judgement> all{judge(before, before, threshold), judge(before, few, threshold),
                                     judge(before, point_of(8, 12), threshold)};
    CHECK(counts_text(all, "Tutti") ==
          "1 of 3 points of Tutti is slower, 0 faster, 1 not significant, 1 the same");
    CHECK(counts_text(std::span(all).first(1), "") == "0 of 1 point are slower, 0 faster, 1 the same");
}

TEST_CASE("a measurement drifts by what its parts differ") {
    std::vector<double> steady(160, 5);
    CHECK(drift(steady) == 1);
    std::fill(steady.begin(), steady.begin() + 40, 15); // as in a round beside another program
    CHECK(drift(steady) == 3);
    CHECK(drift(std::vector<double>{1, 100}) == 1);
    CHECK(drift(std::vector<double>(16, 0)) > 1e9);
}

TEST_CASE("what differs no more than a measurement from itself is unclear") {
    const Threshold threshold{.effect = 0.1, .significance = 0.001};
    Point noisy = point_of(8, 10);
    for (std::size_t i = 0; i < noisy.samples_us.size(); ++i) {
        noisy.samples_us[i] *= i < 24 ? 2.4 : 0.995;
    }
    noisy.time_us = summarise(noisy.samples_us);
    const Point calm = point_of(8, 10);
    const Judgement judgement = judge(calm, noisy, threshold);
    CHECK(judgement.p_value < threshold.significance);
    CHECK(noisy.time_us.median > 2 * calm.time_us.median);
    CHECK(judgement.change == Change::unclear);
    CHECK(judge(noisy, calm, threshold).change == Change::unclear);
    CHECK(judge(calm, point_of(8, 24), threshold).change == Change::slower);
}

TEST_CASE("what the floor has lost as well is no change of the library") {
    const Threshold threshold{.effect = 0.1, .significance = 0.001};
    Point before = point_of(1 << 20, 100);
    Point after = point_of(1 << 20, 200);
    before.floor_us = 95;
    after.floor_us = 190;
    CHECK(judge(before, after, threshold).change == Change::unclear);
    CHECK(judge(after, before, threshold).change == Change::unclear);
    after.floor_us = 96;
    CHECK(judge(before, after, threshold).change == Change::slower);
    before.floor_us = 20; // what costs more is the exchange of lines, of which both have as many
    after.floor_us = 50;
    CHECK(judge(before, after, threshold).change == Change::unclear);
    after.floor_us.reset();
    CHECK(judge(before, after, threshold).change == Change::slower);
    before.exchange_us = 0.05; // as of a barrier, which has no floor
    after.exchange_us = 0.1;
    CHECK(judge(before, after, threshold).change == Change::unclear);
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

TEST_CASE("where two files have nothing in common they say in what they differ") {
    const auto text = [](auto change) {
        const std::vector before{point_of(8, 1), point_of(16, 1)};
        std::vector after{point_of(8, 1), point_of(32, 1)};
        std::ranges::for_each(after, change);
        return differences_text(before, after);
    };
    CHECK(text([](Point& point) { point.problem.type = Type::f32; }) == "types f64 | f32");
    CHECK(text([](Point& point) { point.problem.members = 4; }) == "members 2 | 4");
    CHECK(text([](Point& point) { point.problem.in_place = true; }) == "forms separate | in place");
    CHECK(text([](Point& point) { point.problem.collective = Collective::scan; }) ==
          "collectives allreduce | scan");
    CHECK(text([](Point& point) { point.algorithm = "ring"; }) == "algorithms auto | ring");
    CHECK(text([](Point&) {}) == "sizes 8 B, 16 B | 8 B, 32 B");
    CHECK(differences_text(std::vector{point_of(8, 1)}, {}).empty());
}
