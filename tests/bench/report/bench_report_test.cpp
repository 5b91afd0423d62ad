#include "../../test.hpp"
#include "report/bench_report.hpp"
#include "report/comparison.hpp"

using namespace tutti::bench;
using tutti::Collective;
namespace machine = tutti::machine;
using tutti::Operator;
using tutti::Type;

namespace {

constexpr std::size_t wide = 1000;

int on_two_cpus(int members) {
    return std::min(members, 2);
}

Point point_of(Collective collective, std::size_t bytes, double median_us, double half_interval_us,
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

const std::vector points{point_of(Collective::allreduce, 2'000'000, 100, 1),
                         point_of(Collective::scan, 1'000'000, 100, 30)};
const std::vector baselines{point_of(Collective::allreduce, 2'000'000, 200, 90, "abacus"),
                            point_of(Collective::scan, 1'000'000, 400, 1, "abacus")};

} // namespace

TEST_CASE("what is in place is told apart, in tables and in sentences") {
    std::vector both{points[0], points[0]};
    both[1].problem = make_problem(Collective::allreduce, Type::f64, Operator::sum, 4, 2'000'000, true);
    const std::string text = table_text(both, {}, wide);
    CHECK(text.find("\nallreduce ") != std::string::npos);
    CHECK(text.find("\nallreduce in place ") != std::string::npos);
    CHECK(name_of(both[1].problem) == name_of(both[0].problem) + ", in place");
}

TEST_CASE("tables show bandwidths beside times, and mark what is unstable") {
    const std::string text = table_text(points, baselines, wide);
    CAPTURE(text);
    CHECK(text.find("algbw  busbw") != std::string::npos);
    CHECK(text.find("  100.0 us     20     30  ") != std::string::npos);
    CHECK(text.find(" ~100.0 us     10     10  ") != std::string::npos);
    CHECK(text.find("~200.0 us 2.00x\n") != std::string::npos);
    CHECK(text.find(" 400.0 us 4.00x\n") != std::string::npos);
    CHECK(text.find("wrong") == std::string::npos);
    CHECK(text.find("left out") == std::string::npos);
}

TEST_CASE("wrong elements show, also in a narrow table") {
    std::vector wrong = points;
    wrong[1].wrong = 3;
    CHECK(table_text(wrong, baselines, 60).find("3 WRONG") != std::string::npos);
}

TEST_CASE("reports fit 80 columns") {
    const std::string table = table_text(points, baselines, 80);
    CAPTURE(table);
    CHECK(longest_line(table) <= 80);
    CHECK(table.find("busbw") != std::string::npos);
    CHECK(table.find("400.0 us 4.00x") != std::string::npos);
    CHECK(table.find("(left out to fit 80 columns: floor, loop") != std::string::npos);
    CHECK(longest_line(header_text(detect_environment(), 80)) <= 80);
    const std::string legend = legend_text(points, baselines, std::vector{Calling{}}, 80);
    CHECK(longest_line(legend) <= 80);
    CHECK(legend.find("wider than 25 %") != std::string::npos);
    CHECK(legend.find("busbw: ") != std::string::npos);
    CHECK(legend.find("loop: ") == std::string::npos); // left out of the table
    CHECK(legend.find("floor") == std::string::npos);
    CHECK(longest_line(summary_text(points, baselines, on_two_cpus, 80)) <= 80);
}

TEST_CASE("the summary counts what is unstable, and holds nobody against the project's own aims") {
    std::vector all = points;
    all.push_back(point_of(Collective::allreduce, std::size_t{16} << 20U, 5000, 1));
    all.push_back(point_of(Collective::allreduce, 8, 1, 0));
    all.back().exchange_us = 0.1;
    const std::string text = summary_text(all, baselines, on_two_cpus, wide);
    CAPTURE(text);
    CHECK(text.find("unstable points (~): 2 of 6; more --seconds") != std::string::npos);
    CHECK(text.find("from 16 MiB on, furthest above the floor") != std::string::npos);
    CHECK(text.find("for a bare") != std::string::npos);
    CHECK(text.find("bar: ") == std::string::npos);
    CHECK(summary_text(std::vector{points[0]}, {}, on_two_cpus, wide).find("unstable points (~): 0 of 1\n") !=
          std::string::npos);
}

TEST_CASE("members that share CPUs are held against turns, also where there are more CPUs") {
    const machine::Machine four = machine::from_synthetic("core:4 pu:1");
    CHECK(cpus_under(four, 2, "compact") == 2);
    CHECK(cpus_under(four, 8, "scatter") == 4);
    CHECK(cpus_under(four, 2, "3") == 1);
    CHECK(cpus_under(four, 3, "0,3") == 2);
    CHECK(cpus_under(four, 2, "none") == 2);
    CHECK(cpus_under(four, 8, "none") == 4);
    const std::vector tiny{point_of(Collective::allreduce, 8, 1, 0)};
    const auto turns = [&](const char* placement) {
        const auto cpus_of = [&](int members) { return cpus_under(four, members, placement); };
        return summary_text(tiny, {}, cpus_of, wide)
                   .find("of its bound (2 floors), back to back 2.00x (1 floor)\n") != std::string::npos;
    };
    CHECK(turns("0"));
    std::vector two{tiny[0], tiny[0]};
    two[0].algorithm = "flat";
    const std::string text = summary_text(
        two, {}, [](int) { return 1; }, wide);
    CHECK(text.find("by flat on 1 CPU") == std::string::npos); // beside the choice
    CHECK(text.find("allreduce 8 B, 4 members on 1 CPU: a call takes 2.00x") != std::string::npos);
    CHECK_FALSE(turns("compact"));
}

TEST_CASE("the summary tells what is slower by the test, and ratios of other ways of calling") {
    std::vector own{point_of(Collective::allreduce, 1024, 10, 0.1),
                    point_of(Collective::scan, 1024, 10, 0.1)};
    own[0].samples_us = own[1].samples_us = std::vector<double>(64, 10.0);
    std::vector others{own[0], own[1]};
    for (Point& point : others) {
        point.provider = "abacus";
        point.time_us.median = 5;
        point.loop_us = 2;
    }
    others[0].samples_us = std::vector<double>(64, 5.0);
    others[1].samples_us = own[1].samples_us;
    others[1].time_us.ci95 = {1, 9};
    const std::string text = summary_text(own, others, on_two_cpus, wide);
    CAPTURE(text);
    CHECK(text.find(
              "  against abacus: geometric mean of the speed-ups 0.50x over 1 point (at the floor everywhere "
              "it would be 2.00x), 1 unstable left out; significantly slower at 1 of 2, back to back at 2 of "
              "2\n    slower: allreduce 1 KiB, 4 members: 0.50x\n    slower back to back: allreduce 1 KiB, 4 "
              "members: 0.40x\n    slower back to back: scan 1 KiB, 4 members: 0.40x\n") !=
          std::string::npos);
    others[0].provider = others[1].provider = "tutti_started";
    const std::string ways = summary_text(own, others, on_two_cpus, wide);
    CHECK(ways.find(
              "  tutti_started beside calls that block: geometric mean of the times 0.50x over 1 point, 1 "
              "unstable left out\n") != std::string::npos);
    CHECK(ways.find("slower") == std::string::npos);
}
