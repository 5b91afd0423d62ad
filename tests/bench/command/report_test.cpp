// tutti report: which files it takes, what it prints and writes.
#include "../../test.hpp"
#include "mpirun/temporary_directory.hpp"
#include "report/results_file.hpp"
#include "support.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::bench;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;
using tutti::test::Outcome;
using tutti::test::tutti_command;

namespace {

std::string text_in(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::string results_file(const std::string& path, double median_us) {
    Point point;
    point.provider = "tutti";
    point.problem = make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, 8, false);
    point.samples_us = std::vector<double>(64, median_us);
    point.time_us = summarise(point.samples_us);
    std::ofstream(path) << json_text(nlohmann::json::object(), "", std::vector{point});
    return path;
}

const std::string profile = TUTTI_DOCS "/../laboratory/profiles/graviton2.json";

} // namespace

TEST_CASE("report makes one page of results and profiles, and prints what stands out") {
    const TemporaryDirectory directory;
    const std::string output = directory.path() / "report.html";
    const Outcome outcome =
        tutti_command({"report", results_file(directory.path() / "old.json", 1),
                       results_file(directory.path() / "new.json", 2), profile, "-o", output});
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.says("  No result was wrong."));
    CHECK(outcome.says("! From old.json to new.json: 1 of 1 point of Tutti is slower"));
    CHECK(outcome.says("wrote " + output));
    const std::string page = text_in(output);
    CHECK(page.starts_with("<!doctype html>"));
    CHECK(page.find("\"name\":\"old.json\"") != std::string::npos);
    CHECK(page.find("AWS Graviton2") != std::string::npos);
    const Outcome to_stdout = tutti_command({"report", profile, "-o", "-"});
    CHECK(to_stdout.text.starts_with("<!doctype html>"));
}

TEST_CASE("bench writes the same page with --html") {
    const TemporaryDirectory directory;
    const std::string output = directory.path() / "bench.html";
    const Outcome outcome = tutti_command({"bench", "allreduce", "-t", "2", "-e", "8", "-n", "20", "--rounds",
                                           "1", "--seconds", "0.02", "-q", "--html", output});
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.says("wrote " + output));
    CHECK(text_in(output).find("\"command\":\"tutti bench allreduce") != std::string::npos);
    CHECK(tutti_command({"bench", "--html", "/none/report.html"}).says("--html: cannot write"));
}

TEST_CASE("report refuses what neither bench nor measure wrote, with the reason") {
    const TemporaryDirectory directory;
    const std::string output = directory.path() / "report.html";
    const std::string bad = directory.path() / "bad.json";
    const auto refused = [&](const std::string& text, const std::string& reason) {
        std::ofstream(bad) << text;
        const Outcome outcome = tutti_command({"report", bad, "-o", output});
        CAPTURE(outcome.text);
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.says(bad));
        CHECK(outcome.says(reason));
        CHECK_FALSE(std::filesystem::exists(output));
    };
    refused("", "is no JSON, or cut off");
    refused("{}", "is no file that `tutti bench --json` wrote");
    refused(R"({"format": "tutti-line-profile 2"})", "\"name\" is missing");
    CHECK(tutti_command({"report", "/nonexistent", "-o", output}).says("/nonexistent is not there"));
    CHECK(tutti_command({"report"}).exit_code == 2);
    CHECK(tutti_command({"report", profile, "-o", "/none/report.html"}).says("--output: cannot write"));
}
