#include "../../test.hpp"
#include "report/benchmark_format.hpp"
#include "report/nccl_format.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::bench;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;

namespace {

Point point_of(Collective collective, std::size_t bytes, bool in_place, double us) {
    Point point;
    point.provider = "tutti";
    point.problem = make_problem(collective, Type::f32, Operator::max, 4, bytes, in_place);
    point.samples_us = {us, us + 1, us - 1};
    point.time_us = summarise(point.samples_us);
    return point;
}

std::vector<std::string> words_of_line(const std::string& line) {
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
        words.push_back(word);
    }
    return words;
}

/// The results as readers of nccl-tests find them: lines of 13 words that begin with a size.
std::vector<std::vector<std::string>> results_in(const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::vector<std::string>> results;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('#')) {
            results.push_back(words_of_line(line));
        }
    }
    return results;
}

using Words = std::vector<std::string>;

} // namespace

TEST_CASE("points have the columns of nccl-tests, separate and in place") {
    const std::vector points{point_of(Collective::allreduce, 4'000'000, false, 100),
                             point_of(Collective::allreduce, 4'000'000, true, 80),
                             point_of(Collective::allreduce, 8'000'000, false, 1e8),
                             point_of(Collective::allgather, 4'000'000, true, 12345.678),
                             point_of(Collective::broadcast, 400, true, 2),
                             point_of(Collective::barrier, 0, false, 1)};
    const std::string text = nccl_text(points, true);
    CAPTURE(text);
    const auto results = results_in(text);
    REQUIRE(results.size() == 5);
    CHECK(results[0] == Words{"4000000", "1000000", "float", "max", "-1", "100.00", "40.00", "60.00", "0",
                              "80.00", "50.00", "75.00", "0"});
    CHECK(results[1] == Words{"8000000", "2000000", "float", "max", "-1", "1e+08", "0.00", "0.00", "0", "N/A",
                              "N/A", "N/A", "N/A"});
    CHECK(results[2] == Words{"4000000", "250000", "float", "none", "-1", "N/A", "N/A", "N/A", "N/A",
                              "12345.7", "0.32", "0.24", "0"});
    CHECK(results[3] == Words{"400", "100", "float", "none", "0", "2.00", "0.20", "0.20", "0", "2.00", "0.20",
                              "0.20", "0"});
    CHECK(results[4] ==
          Words{"0", "0", "float", "none", "-1", "1.00", "0.00", "0.00", "0", "N/A", "N/A", "N/A", "N/A"});
    CHECK(text.find("# Avg bus bandwidth    : 45\n") != std::string::npos);
    CHECK(text.find("# Out of bounds values : 0 OK\n") != std::string::npos);
    CHECK(results_in(nccl_text(points, false))[0][8] == "N/A");
}

TEST_CASE("what was wrong fails in the columns of nccl-tests") {
    Point point = point_of(Collective::reduce, 400, false, 2);
    point.wrong = 7;
    const std::string text = nccl_text(std::vector{point}, true);
    CHECK(results_in(text)[0][8] == "7");
    CHECK(text.find("# Out of bounds values : 7 FAILED\n") != std::string::npos);
}

TEST_CASE("points are what compare.py of Google Benchmark reads") {
    const std::vector points{point_of(Collective::allreduce, 4000, false, 100),
                             point_of(Collective::allreduce, 4000, true, 80),
                             point_of(Collective::barrier, 0, false, 1)};
    const auto json =
        nlohmann::json::parse(benchmark_text(detect_environment(), points, "2025-01-01T00:00:00+00:00"));
    CHECK(json.at("context").at("date") == "2025-01-01T00:00:00+00:00");
    CHECK(json.at("context").at("num_cpus").get<int>() > 0);
    const nlohmann::json& all = json.at("benchmarks");
    CHECK(all.size() == 3 * 4);
    std::set<std::string> names;
    for (const nlohmann::json& each : all) {
        CHECK(each.at("time_unit") == "ns");
        CHECK(each.at("cpu_time") == each.at("real_time"));
        CHECK(each.at("repetitions") == 3);
        names.insert(each.at("name").get<std::string>());
    }
    // A name and that of its median for each point.
    CHECK(names.size() == 3 * 2);
    CHECK(all[1].at("name") == "allreduce/f32/max/bytes:4000/members:4/tutti/auto");
    CHECK(all[1].at("run_type") == "iteration");
    CHECK(all[1].at("repetition_index") == 1);
    CHECK(all[1].at("real_time") == 101000);
    CHECK(all[3].at("run_type") == "aggregate");
    CHECK(all[3].at("aggregate_name") == "median");
    CHECK(all[3].at("real_time") == 100000);
    CHECK(all[3].at("bytes_per_second").get<double>() == doctest::Approx(4e7));
    CHECK_FALSE(all[11].contains("bytes_per_second"));
}
