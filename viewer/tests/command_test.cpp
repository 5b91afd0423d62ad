// tutti report and tutti trace: which files they take, what they print and write.
#include "bench/tests/command.hpp"
#include "report/results_file.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::test;

namespace {

const std::string profile = TUTTI_DOCS "/../laboratory/profiles/graviton2.json";

} // namespace

TEST_CASE("report makes one page of results and profiles, and prints what stands out") {
    const Place place;
    const auto write = [&](const char* name, double median_us) {
        std::ofstream(place / name) << json_text(nlohmann::json::object(),
                                                 std::vector{steady_point(8, median_us)});
        return " " + place / name;
    };
    const std::string output = place / "report.html";
    expect(0, "report" + write("old.json", 1) + write("new.json", 2) + " " + profile + " -o " + output,
           "! From old.json to new.json: 1 of 1 point of Tutti is slower", "wrote " + output);
    CHECK(mentions(content_of(output), "AWS Graviton2"));
    CHECK(expect(0, "report " + profile + " -o -").text.starts_with("<!doctype html>"));
}

TEST_CASE("report rejects what neither bench nor measure wrote, with the reason") {
    const Place place;
    const std::string output = place / "report.html";
    const std::string bad = place / "bad.json";
    for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
             {"", "is no JSON, or cut off"},
             {"{}", "is no file that `tutti bench --json` wrote"},
             {R"({"format": "tutti-line-profile 2"})", "\"name\" is missing"}}) {
        std::ofstream(bad) << text;
        expect(2, "report " + bad + " -o " + output, bad, reason);
        CHECK_FALSE(std::filesystem::exists(output));
    }
    expect(2, "report /nonexistent -o " + output, "/nonexistent is not there");
    expect(2, "report");
    expect(2, "report " + profile + " -o /none/report.html", "--output: cannot write");
}

TEST_CASE("a predicted call is written, and drawn the same from the file") {
    const Place place;
    const std::string file = place / "call.jsonl";
    expect(0,
           "trace allreduce -t 4 -b 1K -a circulant --machine epyc-7742-2s -o " + file + " --html " +
               place / "call.html",
           "allreduce (algorithm circulant) among 4 members");
    CHECK(mentions(content_of(file), "\"kind\":\"operation\",\"name\":\"allreduce (algorithm circulant)\""));
    expect(0, "trace " + file + " --html " + place / "again.html");
    CHECK(!content_of(place / "call.html").empty());
    CHECK(content_of(place / "call.html") == content_of(place / "again.html"));
    expect(0, "trace " + file + " -o " + place / "call.pftrace");
    CHECK(mentions(content_of(place / "call.pftrace"), "combine"));
    // Without a named algorithm, the one that is predicted to take least.
    CHECK_FALSE(expect(0, "trace barrier -t 64 --machine epyc-7742-2s").says("algorithm flat"));
    expect(0, "trace broadcast -a flat -t 64 --machine epyc-7742-2s", "algorithm flat");
}

TEST_CASE("a call is measured here, of which one is kept") {
    const Place place;
    expect(0, "trace allreduce -t 2 -b 64K -a ring -o " + place / "here.jsonl", "measured here",
           ": allreduce (algorithm ring) among 2 members");
    const std::string text = content_of(place / "here.jsonl");
    CHECK(mentions(text, "\"kind\":\"step\",\"name\":\"combine\""));
    CHECK_FALSE(mentions(text, "barrier"));
    CHECK(occurrences(text, "\"kind\":\"operation\"") == 2);
}

TEST_CASE("what cannot be traced is rejected") {
    const std::string rome = " --machine epyc-7742-2s";
    expect(2, "trace", "tutti: trace: subject is required");
    expect(2, "trace allreduce --machine nowhere", "--machine: ");
    expect(2, "trace allreduce -a none" + rome, "there is no algorithm \"none\"");
    expect(2, "trace allreduce -a none", "--algorithm");
    expect(2, "trace allreduce -t 1" + rome, "--members");
    expect(2, "trace allreduce -b some" + rome, "--bytes");
    expect(2, "trace nothing" + rome, "nothing");
    expect(2, "trace allreduce barrier" + rome, "one word too many");
    expect(2, "trace allreduce -o call.txt" + rome, ".pftrace");
    expect(2, "trace allreduce -a hypercube -t 3",
           "--algorithm: allreduce hypercube is for powers of two, not for 3 members");
    expect(2, "trace nowhere.jsonl -t 4", "--members: nowhere.jsonl has recorded calls");
    expect(2, "trace nowhere.jsonl -b 8", "--bytes: nowhere.jsonl has recorded calls");
    expect(2, "trace nowhere.jsonl -a ring", "--algorithm: nowhere.jsonl has recorded calls");
    expect(2, "trace nowhere.jsonl" + rome, "--machine: nowhere.jsonl has recorded calls");
    expect(2, "trace nowhere.jsonl", "nowhere.jsonl is not there");
    const Place place;
    std::ofstream(place / "damaged.jsonl") << "{\"group\": 1";
    expect(2, "trace " + place / "damaged.jsonl", "line 1: it is no object of JSON");
}
