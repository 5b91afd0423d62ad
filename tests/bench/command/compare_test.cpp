#include "../../test.hpp"
#include "mpirun/temporary_directory.hpp"
#include "report/results_file.hpp"
#include "support.hpp"
#include "terminal/output.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::bench;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;
using tutti::test::Outcome;
using tutti::test::tutti_command;

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

std::string file(const TemporaryDirectory& directory, const char* name, const std::vector<Point>& points,
                 const nlohmann::json& environment = nlohmann::json::object()) {
    const std::string path = directory.path() / name;
    write_output(path, json_text(environment, "", points));
    return path;
}

} // namespace

TEST_CASE("compare ends with exit code 3 when something is slower, and with 0 when not") {
    const TemporaryDirectory directory;
    const std::string before = file(directory, "before", std::vector{point_of(8, 1), point_of(1024, 10)});
    const std::string slower = file(directory, "slower", std::vector{point_of(8, 0.5), point_of(1024, 15)});
    const Outcome worse = tutti_command({"compare", before, slower});
    CAPTURE(worse.text);
    CHECK(worse.exit_code == 3);
    CHECK(worse.says("1 of 2 points of tutti is slower, 1 faster\n"));
    CHECK(worse.says("1.50x"));
    const Outcome better = tutti_command({"compare", before, slower, "--effect", "60"});
    CHECK(better.exit_code == 0);
    CHECK(better.says("0 of 2 points of tutti are slower, 1 faster, 1 the same\n"
                      "  the same: medians less than 60 % apart\n"));
    CHECK(tutti_command({"compare", before, before}).exit_code == 0);
}

TEST_CASE("compare says first in what machines and versions differ") {
    const TemporaryDirectory directory;
    const std::vector points{point_of(8, 1)};
    nlohmann::json environment{{"machine", {{"model", "Alpha"}, {"cpus_in_machine", 4}, {"cpu_list", "0-3"}}},
                               {"system", "Linux 1"},
                               {"versions", {{"tutti", "1.0"}}}};
    const std::string here = file(directory, "here", points, environment);
    environment["machine"]["model"] = "Beta";
    environment["machine"]["cpus_in_machine"] = 8;
    environment["system"] = "Linux 2";
    environment["versions"]["tutti"] = "2.0";
    const std::string there = file(directory, "there", points, environment);
    const Outcome other = tutti_command({"compare", here, there});
    CHECK(other.exit_code == 0);
    CHECK_MESSAGE(other.text.starts_with("the files are not from the same machine and version:\n"
                                         "  processor: Alpha | Beta\n"
                                         "  CPUs in the machine: 4 | 8\n"
                                         "  kernel: Linux 1 | Linux 2\n"
                                         "  version of tutti: 1.0 | 2.0\n0 of 1"),
                  other.text);
    CHECK(tutti_command({"compare", here, here}).text.starts_with("0 of 1"));
    CHECK(tutti_command({"compare", here, file(directory, "old", points)})
              .says("processor: Alpha | not stated"));
}

TEST_CASE("compare shows bandwidths, and what is unclear does not count as slower") {
    const TemporaryDirectory directory;
    Point before = point_of(1'000'000, 100);
    Point after = point_of(1'000'000, 200);
    before.floor_us = 90;
    after.floor_us = 185;
    const Outcome outcome =
        tutti_command({"compare", file(directory, "before", {before}), file(directory, "after", {after})});
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.says("unclear  allreduce"));
    CHECK(tutti_command(
              {"compare", directory.path() / "before", directory.path() / "after", "--provider", "all"})
              .says("unclear  tutti"));
    CHECK(outcome.says("algbw"));
    CHECK(outcome.says("  5  2.00x")); // a megabyte in 200 us: 5 GB/s
    CHECK(outcome.says("0 of 1 point of tutti are slower, 0 faster, 1 unclear\n"
                       "  unclear: no more than the drift, or the floor has changed as much\n"));
    CHECK_FALSE(outcome.says("same"));
    CHECK_FALSE(outcome.says("in one file only"));
}

TEST_CASE("compare counts what is not significant apart, and says what is in place and in one file only") {
    const TemporaryDirectory directory;
    Point before = point_of(64, 100);
    before.problem.in_place = true;
    Point after = before;
    after.samples_us = {200, 200};
    after.time_us = summarise(after.samples_us);
    const Outcome outcome = tutti_command(
        {"compare", file(directory, "before", {before, point_of(8, 1)}), file(directory, "after", {after})});
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.says("not significant  allreduce in place  auto"));
    CHECK(outcome.says("0 of 1 point of tutti are slower, 0 faster, 1 not significant\n"
                       "  not significant: medians 10 % apart or more, but p >= 0.001\n"
                       "  in one file only: 1 and 0 points\n"));
}

TEST_CASE("files that cannot be compared are refused with the reason") {
    const TemporaryDirectory directory;
    const std::string good = file(directory, "good", std::vector{point_of(8, 1)});
    nlohmann::json json = nlohmann::json::parse(std::ifstream(good));
    const auto refused = [&](const std::string& text, const std::string& reason) {
        const std::string bad = directory.path() / "bad";
        std::ofstream(bad) << text;
        for (const auto& files : {std::pair(good, bad), std::pair(bad, good)}) {
            const Outcome outcome = tutti_command({"compare", files.first, files.second});
            CAPTURE(outcome.text);
            CHECK(outcome.exit_code == 2);
            CHECK(outcome.says(reason));
            CHECK(outcome.says(bad));
        }
    };
    refused("", "is no JSON, or cut off");
    refused(json.dump().substr(0, json.dump().size() / 2), "is no JSON, or cut off");
    refused("[1, 2]", "is no file that `tutti bench --json` wrote");
    refused(R"({"schema": 7, "points": []})", "is no file that `tutti bench --json` wrote");
    refused(R"({"schema": "tutti-bench-1", "points": []})", "has schema \"tutti-bench-1\"");
    refused(R"({"schema": "tutti-bench-2", "points": []})", "in common");
    for (const auto& [field, value] : std::vector<std::pair<std::string, nlohmann::json>>{
             {"collective", "gossip"},
             {"members", -1},
             {"median_us", "fast"},
             {"samples_us", nlohmann::json::array({1, nullptr})},
             {"samples_us", nlohmann::json::array({1, -1})}}) {
        nlohmann::json damaged = json;
        damaged["points"][0][field] = value;
        refused(damaged.dump(), "entry 0 of \"points\" is damaged");
    }
    json["points"][0].erase("repetitions");
    refused(json.dump(), "repetitions");
    CHECK(tutti_command({"compare", good, "/nonexistent"}).says("/nonexistent is not there"));
    const std::string folder = directory.path();
    for (const auto& files : {std::pair(good, folder), std::pair(folder, good)}) {
        const Outcome outcome = tutti_command({"compare", files.first, files.second});
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.says(folder + " is a folder"));
    }
    CHECK(tutti_command({"compare", good, good, "--provider", "abacus"}).says("\"abacus\" in common"));
    Point four = point_of(8, 1);
    four.problem.members = 4;
    CHECK(tutti_command({"compare", good, file(directory, "four", {four})})
              .says("in common: members 2 | 4; there are 1 and 1"));
    CHECK(tutti_command({"compare", good, good, "--effect", "-1"}).says("--effect"));
    CHECK(tutti_command({"compare", good, good, "--significance", "1"}).says("--significance"));
}
