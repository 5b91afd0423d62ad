// The sentences at the top of a report.
#include "bench/tests/command.hpp"
#include "page/findings.hpp"

using namespace tutti;
using namespace tutti::viewer;

namespace {

bench::Point point_of(const std::string& provider, std::size_t bytes, double median_us) {
    bench::Point point = test::steady_point(bytes, median_us);
    point.provider = provider;
    return point;
}

/// One finding is this.
bool says(const std::vector<Finding>& found, Tone tone, const std::string& text) {
    return std::ranges::count(found, std::pair(tone, text),
                              [](const Finding& each) { return std::pair(each.tone, each.text); }) == 1;
}

} // namespace

TEST_CASE("what is as it should be is said once, and nothing else") {
    const auto found = findings(std::vector{point_of("tutti", 8, 1), point_of("openmpi", 8, 2)});
    CHECK(found.size() == 3);
    CHECK(says(found, Tone::good, "No result was wrong."));
    CHECK(says(found, Tone::good,
               "openmpi takes 2.00 times as long as Tutti, in the geometric mean of 1 point, and is "
               "significantly faster at none."));
    CHECK(says(found, Tone::good,
               "All medians are stable: no 95 % interval is wider than 25 % of its median."));
    CHECK(findings({}).front().text == "Nothing was measured.");
}

TEST_CASE("wrong results come first, with where") {
    std::vector points{point_of("tutti", 8, 1), point_of("openmpi", 16, 1)};
    points[1].wrong = 3;
    points[1].algorithm = "ring";
    CHECK(
        lines_of(findings(points))
            .starts_with("! 3 elements of results were wrong, first at allreduce 16 B, 2 members of openmpi "
                         "by ring.\n"));
}

TEST_CASE("the point furthest above the floor is named, of large ones where there are such") {
    std::vector points{point_of("tutti", 8, 100), point_of("tutti", 1024, 3)};
    points[0].floor_us = 1;
    points[1].floor_us = 2;
    CHECK(says(findings(points), Tone::note,
               "allreduce 8 B, 2 members is the furthest above the machine's floor: 100.00 times."));
    points[1].problem =
        bench::make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, 16U << 20U, false);
    CHECK(says(findings(points), Tone::note,
               "allreduce 16 MiB, 2 members is the furthest above the machine's floor, of all from 16 MiB "
               "on: 1.50 times."));
}

TEST_CASE("where another provider is ahead, the worst point is named") {
    const std::vector points{point_of("tutti", 8, 4),    point_of("tutti", 16, 4),
                             point_of("tutti", 32, 4),   point_of("openmpi", 8, 16),
                             point_of("openmpi", 16, 2), point_of("openmpi", 32, 1)};
    CHECK(says(
        findings(points), Tone::warning,
        "openmpi takes 0.79 times as long as Tutti, in the geometric mean of 3 points. openmpi is "
        "significantly faster at 2 points: at allreduce 32 B, 2 members Tutti takes 4.00 times as long."));
}

TEST_CASE("another way of calling is no rival") {
    const std::vector points{point_of("tutti", 8, 1), point_of("tutti", 16, 1),
                             point_of("tutti_started", 8, 2), point_of("tutti_started", 16, 8)};
    CHECK(says(
        findings(points), Tone::note,
        "tutti_started takes 4.00 times as long as calls that block, in the geometric mean of 2 points."));
}

TEST_CASE("an algorithm that is faster by name than the choice is told") {
    std::vector points{point_of("tutti", 8, 4), point_of("tutti", 8, 2), point_of("tutti", 8, 8)};
    points[2].algorithm = "ring";
    points[1].algorithm = "direct";
    CHECK(says(findings(points), Tone::note,
               "The library's choice is not the fastest everywhere: 1 time an algorithm by name is faster by "
               "10 % with p < 0.001 and by more than parts of its runs differ. The choice takes longer than "
               "direct at allreduce 8 B, 2 members (2.00 times)."));
    points[1].samples_us = points[0].samples_us;
    points[1].time_us = points[0].time_us;
    CHECK(says(findings(points), Tone::good,
               "No algorithm by name is faster than the library's choice by 10 % with p < 0.001 and by more "
               "than parts of its runs differ."));
}

TEST_CASE(
    "an algorithm that only looks faster than an unstable choice is named, and nothing is called good") {
    std::vector points{point_of("tutti", 8, 4)};
    std::fill_n(points[0].samples_us.begin(), 32, 9.0);
    for (const char* const algorithm : {"flat", "ring", "direct", "radix-8"}) {
        points.push_back(point_of("tutti", 8, algorithm[0] == 'f' ? 2 : 3));
        points.back().algorithm = algorithm;
    }
    const auto found = findings(points);
    CHECK(says(found, Tone::note,
               "4 times an algorithm by name looks faster than the library's choice, but not by 10 % with p "
               "< 0.001 and by more than parts of its runs differ: flat at allreduce 8 B, 2 members (2.00 "
               "times), ring at allreduce 8 B, 2 members (1.33 times), direct at allreduce 8 B, 2 members "
               "(1.33 times) and 1 more."));
    CHECK(std::ranges::none_of(
        found, [](const Finding& finding) { return finding.text.starts_with("No algorithm by name"); }));
}

TEST_CASE("unstable medians and drifts are told, with the worst") {
    std::vector points{point_of("tutti", 8, 4), point_of("tutti", 16, 4)};
    std::fill_n(points[0].samples_us.begin(), 32, 6.0);
    CHECK(says(findings(points), Tone::note, "No 95 % interval is wider than 25 % of its median."));
    points[1].time_us.ci95 = {4, 6};
    const auto found = findings(points);
    CHECK(says(found, Tone::warning,
               "1 of 2 medians are unstable: their 95 % intervals are wider than 25 % of them. That of "
               "allreduce 16 B, 2 members of tutti is 50 % wide."));
    CHECK(says(found, Tone::note,
               "While 1 of 2 points were measured the machine changed: the medians of parts of their runs "
               "differ, 1.50 times at allreduce 8 B, 2 members of tutti."));
}

TEST_CASE("between two files changes are counted, and the worst is named") {
    const std::vector before{point_of("tutti", 8, 1), point_of("tutti", 16, 1), point_of("tutti", 32, 1)};
    const std::vector after{point_of("tutti", 8, 3), point_of("tutti", 16, 0.5), point_of("tutti", 32, 1)};
    CHECK(change_finding("a", before, "b", after).tone == Tone::warning);
    CHECK(change_finding("a", before, "b", after).text ==
          "From a to b: 1 of 3 points of Tutti is slower, 1 faster, 1 the same. allreduce 8 "
          "B, 2 members of tutti takes 3.00 times as long as before.");
    CHECK(change_finding("a", before, "b", before).tone == Tone::good);
    CHECK(change_finding("a", before, "b", {}).text == "a and b have no point of Tutti in common.");
    CHECK(change_finding("a", before, "b", std::vector{point_of("tutti", 64, 1)}).text ==
          "a and b have no point of Tutti in common; the first ones are allreduce 8 B, 2 members of f64 with "
          "sum, "
          "by auto of tutti | allreduce 64 B, 2 members of f64 with sum, by auto of tutti.");
    const std::vector others{point_of("tutti", 8, 1), point_of("openmpi", 8, 1)};
    CHECK(change_finding("a", others, "b", others).text ==
          "From a to b: 0 of 1 point of Tutti are slower, 0 faster, 1 the same.");
}
