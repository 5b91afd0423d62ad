// Tables and sentences of a report, and the judgements in them: against baselines and against another run.
#include "bench/tests/command.hpp"
#include "report/bench_report.hpp"
#include "report/comparison.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::bench;
using namespace tutti::test;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;

namespace {

constexpr std::size_t wide = 1000;

Point wide_point(Collective collective, std::size_t bytes, double median_us, double half_interval_us,
                 const char* provider = "tutti") {
    Point point;
    point.provider = provider;
    point.problem = make_problem(collective, Type::f64, Operator::sum, 4, bytes, false);
    point.time_us = {.median = median_us,
                     .ci95 = {median_us - half_interval_us, median_us + half_interval_us},
                     .p99 = 2 * median_us,
                     .max = 3 * median_us,
                     .count = 100};
    point.loop_us = median_us / 2;
    point.floor_us = median_us / 4;
    return point;
}

std::size_t longest_line(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        longest = std::max(longest, line.size());
    }
    return longest;
}

const std::vector points{wide_point(Collective::allreduce, 2'000'000, 100, 1),
                         wide_point(Collective::scan, 1'000'000, 100, 30)};
const std::vector baselines{wide_point(Collective::allreduce, 2'000'000, 200, 90, "abacus"),
                            wide_point(Collective::scan, 1'000'000, 400, 1, "abacus")};

Point above_floor(std::size_t bytes, double median_us, double floor_us) {
    Point point = steady_point(bytes, median_us);
    point.floor_us = floor_us;
    return point;
}

} // namespace

TEST_CASE("tables show bandwidths beside times, what is in place, and mark what is unstable") {
    std::vector all = points;
    all.push_back(points[0]);
    all[2].problem.in_place = true;
    CHECK(name_of(all[2].problem) == name_of(all[0].problem) + ", in place");
    const std::string text = table_text(all, baselines, wide);
    CAPTURE(text);
    CHECK(mentions(text, "\nallreduce in place "));
    CHECK(mentions(text, "algbw  busbw"));
    CHECK(mentions(text, "  100.0 us     20     30  "));
    CHECK(mentions(text, " ~100.0 us     10     10  "));
    CHECK(mentions(text, "~200.0 us 2.00x\n"));
    CHECK(mentions(text, " 400.0 us 4.00x\n"));
    CHECK_FALSE(mentions(text, "wrong"));
}

TEST_CASE("reports fit 80 columns") {
    const std::string table = table_text(points, baselines, 80);
    CAPTURE(table);
    CHECK(longest_line(table) <= 80);
    CHECK(mentions(table, "busbw"));
    CHECK(mentions(table, "400.0 us 4.00x"));
    CHECK(mentions(table, "(left out to fit 80 columns: floor, loop"));
    CHECK(longest_line(header_text(detect_environment(), 80)) <= 80);
    const std::string legend = legend_text(points, baselines, std::vector{Calling{}}, 80);
    CHECK(longest_line(legend) <= 80);
    CHECK(mentions(legend, "wider than 25 %"));
    CHECK(mentions(legend, "busbw: "));
    CHECK_FALSE(mentions(legend, "loop: ")); // left out of the table
    CHECK_FALSE(mentions(legend, "floor"));
    CHECK(longest_line(summary_text(points, baselines, 80)) <= 80);
    std::vector wrong = points;
    wrong[1].wrong = 3;
    CHECK(mentions(table_text(wrong, baselines, 60), "3 WRONG"));
}

TEST_CASE("members that share CPUs are counted, also where there are more CPUs") {
    const tutti::machine::Machine four = tutti::machine::from_synthetic("core:4 pu:1");
    CHECK(cpus_under(four, 2, "compact") == 2);
    CHECK(cpus_under(four, 8, "scatter") == 4);
    CHECK(cpus_under(four, 2, "3") == 1);
    CHECK(cpus_under(four, 3, "0,3") == 2);
    CHECK(cpus_under(four, 2, "none") == 2);
    CHECK(cpus_under(four, 8, "none") == 4);
}

TEST_CASE("the summary has the mean of each number of members, the floors, and what is slower by the test") {
    std::vector own{wide_point(Collective::allreduce, 8, 10, 0.1),
                    wide_point(Collective::allgather, std::size_t{64} << 10U, 10, 0.1)};
    own[0].exchange_us = *own[0].loop_us / 2;
    std::vector others{own[0], own[1]};
    for (std::size_t i = 0; i < 2; ++i) {
        own[i].samples_us = std::vector<double>(64, 10.0);
        others[i].provider = "abacus";
        others[i].time_us.median = i == 0 ? 5 : 80;
        others[i].samples_us = std::vector<double>(64, others[i].time_us.median);
        others[i].loop_us = *own[i].loop_us * (i == 0 ? 0.95 : 0.5); // the first by not enough
    }
    own[1].floor_us = 8;
    others[1].time_us.ci95 = {1, 90};
    const std::string text = summary_text(own, others, wide);
    CAPTURE(text);
    CHECK(mentions(text, "wrong elements: 0; unstable points (~): 1 of 4\n"));
    CHECK(mentions(text, "speed:  4 members 2.00x as fast as abacus in single calls\n"));
    CHECK(mentions(
        text, "floor:  allreduce 8 B, 4 members, back to back, takes 2.00x of a bare exchange of flags; "
              "from 64 KiB on at most 1.25x of the same loads and stores (allgather 64 KiB, 4 members)\n"));
    CHECK(mentions(
        text, "slower: at 2 of 4 comparisons: allreduce 8 B, 4 members beside abacus 0.50x, allgather 64 "
              "KiB, 4 members back to back beside abacus 0.50x\n"));
    CHECK(mentions(summary_text(own, {}, wide), "speed:  no baseline was measured\n"));
    others[0].provider = others[1].provider = "tutti_started"; // no rival
    CHECK(mentions(summary_text(own, others, wide), "slower: at 0 of 0 comparisons\n"));
}

TEST_CASE("the mean of the speed-ups is geometric, and lost points are named") {
    const std::vector own{above_floor(8, 1, 0.5), steady_point(16, 1), above_floor(32, 2, 3),
                          steady_point(64, 1)};
    const std::vector baseline{steady_point(8, 2), steady_point(16, 16), steady_point(32, 1)};
    const Comparison comparison = compare(own, baseline);
    CHECK(comparison.points == 3);
    CHECK(comparison.mean_speedup == doctest::Approx(2.519842)); // (2 * 16 * 0.5)^(1/3)
    REQUIRE(comparison.lost.size() == 1);
    CHECK(comparison.lost[0]->problem.bytes() == 32);
}

TEST_CASE("the worst ratio to the floor is taken from the given size on, of the library's own choice") {
    std::vector named{above_floor(8, 1, 0.1)};
    named[0].algorithm = "circulant";
    CHECK(compare(named, std::vector{steady_point(8, 2)}).points == 0);
    CHECK(worst_floor_ratio(named, 0) == nullptr);
    const std::vector points{above_floor(8, 100, 1.0), above_floor(1024, 3, 2.0), above_floor(2048, 2.2, 2.0),
                             steady_point(4096, 1000)};
    CHECK(floor_ratio(points[1]) == 1.5);
    CHECK_FALSE(floor_ratio(points[3]));
    CHECK(worst_floor_ratio(points, 1024) == &points[1]);
    CHECK(worst_floor_ratio(points, 2048) == &points[2]);
    CHECK(worst_floor_ratio(points, 4096) == nullptr);
}

TEST_CASE("what differs clearly and by enough is faster or slower") {
    const Threshold threshold{.effect = 0.1, .significance = 0.001};
    const Point before = spread_point(8, 10);
    CHECK(judge(before, spread_point(8, 12), threshold).change == Change::slower);
    CHECK(judge(before, spread_point(8, 8), threshold).change == Change::faster);
    CHECK(judge(before, before, threshold).change == Change::same);
    // Clear, but little.
    const Judgement little = judge(before, spread_point(8, 10.5), threshold);
    CHECK(little.p_value < 0.001);
    CHECK(little.change == Change::same);
    CHECK(judge(before, spread_point(8, 10.5), {.effect = 0.04}).change == Change::slower);
    // Much, but not clear.
    Point few = spread_point(8, 20);
    few.samples_us.resize(2);
    CHECK(judge(before, few, threshold).change == Change::not_significant);
    CHECK(judge(spread_point(8, 10, 0.9), spread_point(8, 11.5, 0.9), threshold).change ==
          Change::not_significant);
    const std::vector<Judgement> all{judge(before, before, threshold), judge(before, few, threshold),
                                     judge(before, spread_point(8, 12), threshold)};
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
    Point noisy = spread_point(8, 10);
    for (std::size_t i = 0; i < noisy.samples_us.size(); ++i) {
        noisy.samples_us[i] *= i < 24 ? 2.4 : 0.995;
    }
    noisy.time_us = summarise(noisy.samples_us);
    const Point calm = spread_point(8, 10);
    const Judgement judgement = judge(calm, noisy, threshold);
    CHECK(judgement.p_value < threshold.significance);
    CHECK(noisy.time_us.median > 2 * calm.time_us.median);
    CHECK(judgement.change == Change::unclear);
    CHECK(judge(noisy, calm, threshold).change == Change::unclear);
    CHECK(judge(calm, spread_point(8, 24), threshold).change == Change::slower);
}

TEST_CASE("what the floor has lost as well is no change of the library") {
    const Threshold threshold{.effect = 0.1, .significance = 0.001};
    Point before = spread_point(1 << 20, 100);
    Point after = spread_point(1 << 20, 200);
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
    std::vector<Point> after{spread_point(8, 1), spread_point(64, 1), spread_point(8, 1),
                             spread_point(16, 1)};
    after[1].algorithm = "ring";
    after[2].provider = "openmpi";
    const std::vector<Point> before{spread_point(64, 1), spread_point(16, 1), spread_point(8, 1)};
    const auto judgements = judge_all(before, after, {});
    REQUIRE(judgements.size() == 2);
    CHECK(judgements[0].after == &after[3]);
    CHECK(judgements[1].after == &after[0]);
}

TEST_CASE("two files that have nothing in common are told apart by their first points") {
    const std::vector before{spread_point(8, 1), spread_point(16, 1)};
    std::vector after{spread_point(32, 1)};
    after[0].problem.type = Type::f32;
    after[0].problem.in_place = true;
    after[0].algorithm = "ring";
    CHECK(nothing_in_common(before, after) ==
          "; the first ones are allreduce 8 B, 2 members of f64 with sum, by auto of tutti | "
          "allreduce 16 B, 2 members, in place of f32 with sum, by ring of tutti");
    CHECK(nothing_in_common(before, {}).empty());
}
