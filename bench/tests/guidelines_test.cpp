#include "report/guidelines.hpp"
#include "tests/test.hpp"

using namespace tutti::bench;

namespace {

/// 31 samples within 1 % of the median.
std::vector<double> around(double median_us) {
    std::vector<double> samples;
    for (int i = -15; i <= 15; ++i) {
        samples.push_back(median_us * (1 + 0.01 * i / 15));
    }
    return samples;
}

/// All operations of one size among `members`, as a library that violates nothing would do them.
std::vector<Measured> sound(int members = 4, std::size_t bytes = 1024, double scale = 1) {
    const std::map<std::string, double> times_us{
        {"reduce_scatter", 5}, {"allreduce", 8}, {"reduce", 5}, {"scatter", 2},
        {"allgather", 4},      {"broadcast", 4}, {"scan", 8}};
    const std::map<std::string, double> mock_ups_us{{"reduce + scatter", 7},
                                                    {"reduce_scatter + allgather", 9},
                                                    {"reduce_scatter to the root", 5},
                                                    {"scan + broadcast", 12},
                                                    {"scatter + allgather", 6}};
    std::vector<Measured> measured;
    for (const auto& times : {times_us, mock_ups_us}) {
        for (const auto& [operation, time_us] : times) {
            measured.push_back({.operation = operation,
                                .members = members,
                                .bytes = bytes,
                                .is_mock_up = mock_ups_us.contains(operation),
                                .samples_us = around(scale * time_us)});
        }
    }
    return measured;
}

void set(std::vector<Measured>& measured, const std::string& operation, double time_us) {
    for (Measured& entry : measured) {
        if (entry.operation == operation) {
            entry.samples_us = around(time_us);
        }
    }
}

/// The guidelines that are violated.
std::vector<std::string> violated(const std::vector<Measured>& measured, const GuidelineLimits& limits = {}) {
    std::vector<std::string> names;
    for (const GuidelineResult& result : judge_guidelines(measured, limits)) {
        if (!result.violations.empty()) {
            names.push_back(result.guideline);
        }
    }
    return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("each rule is checked once for every size, and a sound library violates none") {
    std::size_t checked = 0;
    for (const GuidelineResult& result : judge_guidelines(sound(), {})) {
        checked += result.checked;
        CHECK(result.violations.empty());
    }
    CHECK(checked == 8);
}

TEST_CASE("each rule is violated by what it is about, and by no less") {
    struct Case {
        const char* operation;
        double fine_us;
        double wrong_us;
        Names rules;
    };
    // (4) bounds allreduce by 9; (3) reduce_scatter by 7; the tolerance is a tenth.
    for (const Case& example :
         {Case{"reduce_scatter",
               7.6,
               9,
               {"(2) reduce_scatter <= allreduce", "(3) reduce_scatter <= reduce + scatter"}},
          Case{"allreduce", 9.8, 10.1, {"(4) allreduce <= reduce_scatter + allgather"}},
          Case{"reduce", 5.4, 9, {"(5) reduce <= allreduce", "(6) reduce <= reduce_scatter to the root"}},
          Case{"reduce_scatter to the root", 5.4, 5.7, {"(6) reduce_scatter to the root <= reduce"}},
          Case{"scan + broadcast", 7.5, 7, {"allreduce <= scan + broadcast"}},
          Case{"broadcast", 6.5, 6.8, {"broadcast <= scatter + allgather"}}}) {
        CAPTURE(example.operation);
        std::vector<Measured> measured = sound();
        set(measured, example.operation, example.fine_us);
        CHECK(violated(measured) == Names{});
        set(measured, example.operation, example.wrong_us);
        CHECK(violated(measured) == example.rules);
    }
}

TEST_CASE("a violation says what was measured") {
    std::vector<Measured> measured = sound(3);
    set(measured, "broadcast", 16);
    const std::vector<GuidelineResult> results = judge_guidelines(measured, {});
    const auto& found =
        *std::ranges::find(results, "broadcast <= scatter + allgather", &GuidelineResult::guideline);
    CHECK(found.violations.at(0).starts_with("broadcast, 3 members, 1 KiB: 16.00 us against 6.000 us"));
}

TEST_CASE("what could be chance is no violation") {
    std::vector<Measured> measured = sound();
    set(measured, "broadcast", 9);
    CHECK(violated(measured).size() == 1);
    for (Measured& entry : measured) {
        if (entry.operation == "broadcast") {
            entry.samples_us = {6, 9, 9};
        }
    }
    CHECK(violated(measured).empty());
    set(measured, "broadcast", 9);
    CHECK(violated(measured, {.tolerance = 1.6}).empty());
}

TEST_CASE("what is so in one pass of three only is a disturbance") {
    std::vector<Measured> measured = sound();
    const auto with_passes = [&](std::vector<double> broadcast_us) {
        for (Measured& entry : measured) {
            const double usual_us = entry.operation == "broadcast" ? 6 : entry.samples_us[15];
            entry.samples_us.clear();
            entry.passes.clear();
            for (const double pass_us : broadcast_us) {
                entry.passes.push_back(entry.samples_us.size());
                const auto samples = around(entry.operation == "broadcast" ? pass_us : usual_us);
                entry.samples_us.insert(entry.samples_us.end(), samples.begin(), samples.end());
            }
        }
        return violated(measured);
    };
    CHECK(with_passes({6.5, 6.55, 90}).empty()); // far beyond the tolerance, once
    CHECK(with_passes({7.5, 7.5, 6}) == Names{"broadcast <= scatter + allgather"});
}

TEST_CASE("a larger vector must not be faster") {
    std::vector<Measured> measured = sound(4, 1024);
    for (const Measured& entry : sound(4, 4096, 0.95)) {
        measured.push_back(entry);
    }
    CHECK(violated(measured).empty());
    for (const Measured& entry : sound(4, 65536, 0.8)) {
        measured.push_back(entry);
    }
    CHECK(violated(measured) == Names{"m <= the next larger m"});
}

TEST_CASE("next to a power of two, a unit of traffic may cost a quarter more") {
    const std::string name = "p = 2^k - 1 and 2^k + 1 <= 2^k for each unit of traffic";
    const auto with_neighbour = [](int members, double scale, std::size_t bytes = 1024) {
        std::vector<Measured> measured = sound(4, bytes);
        for (const Measured& entry : sound(members, bytes, scale)) {
            measured.push_back(entry);
        }
        return measured;
    };
    const GuidelineLimits alone{.cpus = 64};
    CHECK(violated(with_neighbour(5, 1.2), alone).empty()); // though a share of a scatter is smaller
    CHECK(violated(with_neighbour(5, 1.4), alone) == Names{name});
    CHECK(violated(with_neighbour(3, 1.4), alone) == Names{name});
    CHECK(violated(with_neighbour(6, 9), alone).empty()); // not next to one
    // 4 have a CPU each and 5 do not: the system's doing.
    CHECK(violated(with_neighbour(5, 9), {.cpus = 4}).empty());
    // On 2 CPUs the busiest has 3 of 5 members and 2 of 4: twice as many switches, and half as much traffic
    // again.
    CHECK(violated(with_neighbour(5, 2.4), {.cpus = 2}).empty());
    CHECK(violated(with_neighbour(5, 2.6), {.cpus = 2}) == Names{name});
    CHECK(violated(with_neighbour(5, 1.45, 1 << 20), {.cpus = 2}).empty());
    CHECK(violated(with_neighbour(5, 2, 1 << 20), {.cpus = 2}) == Names{name});
}

TEST_CASE("traffic is that of the floors, on the busiest CPU") {
    CHECK(traffic("allreduce", 4, 4) == 2);
    CHECK(traffic("scan", 4, 2) == 4);
    CHECK(traffic("reduce", 4, 4) == 1.25);
    CHECK(traffic("reduce_scatter to the root", 5, 2) == doctest::Approx(3 * 6.0 / 5));
    CHECK(traffic("broadcast", 3, 2) == 2);
    CHECK(traffic("scatter", 4, 1) == 2);
}
