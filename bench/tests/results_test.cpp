// Files of results: their schema, runs that are killed, and tutti compare.
#include "bench/tests/command.hpp"
#include "report/environment.hpp"
#include "report/results_file.hpp"
#include "terminal/output.hpp"

#include <tutti/version.hpp>

#include <nlohmann/json.hpp>

using namespace tutti::test;
using nlohmann::json;
using tutti::bench::Point;

namespace {

constexpr const char* schema_file = TUTTI_DOCS "/tutti-bench.schema.json";

json parsed(const std::string& path) {
    return json::parse(std::ifstream(path));
}

/// An object has all keys of its schema and no others, and so on with what is in it.
void check_keys(const json& value, const json& schema) {
    if (value.is_array()) {
        for (const json& each : value) {
            check_keys(each, schema.at("items"));
        }
    }
    if (!value.is_object()) {
        return;
    }
    const json known = schema.value("properties", json::object());
    const json others = schema.at("additionalProperties");
    for (auto entry = value.begin(); entry != value.end(); ++entry) {
        const std::string& key = entry.key();
        CHECK_MESSAGE((known.contains(key) || others.is_object()), key << " is not in the schema");
        check_keys(*entry, known.contains(key)  ? known.at(key)
                           : others.is_object() ? others
                                                : json::object());
    }
    for (const json& key : schema.value("required", json::array())) {
        CHECK_MESSAGE(value.contains(key.get<std::string>()), key << " was not written");
    }
}

/// The words of compare for two files, which are written to `place`.
std::string compare(const Place& place, const std::vector<Point>& before, const std::vector<Point>& after,
                    const json& here = json::object(), const json& there = json::object()) {
    tutti::bench::write_output(place / "before", json_text(here, before));
    tutti::bench::write_output(place / "after", json_text(there, after));
    return "compare " + place / "before" + " " + place / "after";
}

} // namespace

TEST_CASE("what bench writes is what the documented schema says") {
    const Place place;
    const std::string path = place / "points.json";
    expect(0, "bench barrier allreduce -t 2 -e 64 -f 8 -n 10 --rounds=1 --seconds=0.02 -q --baseline "
              "std_barrier --json " +
                  path);
    const json schema = parsed(schema_file);
    CHECK(schema.at("properties").at("schema").at("const") == tutti::bench::json_schema);
    const json written = parsed(path);
    CHECK(written.at("complete") == true);
    check_keys(written, schema);
    const Outcome csv =
        shell("jq -r '.points[] | [.provider, .collective, .bytes, .median_us] | @csv' " + path);
    CHECK_MESSAGE((csv.exit_code == 127 || csv.text.starts_with("\"tutti\",\"barrier\",0,")), csv.text);
    if (shell("python3 -c 'import jsonschema'").exit_code != 0) {
        MESSAGE("python3-jsonschema is not there: types and ranges are not held against the schema");
        return;
    }
    const Outcome valid =
        shell("python3 -c 'import json, jsonschema, sys; jsonschema.validate(json.load(open(sys.argv[1])), "
              "json.load(open(sys.argv[2])))' " +
              path + " " + schema_file);
    CHECK_MESSAGE(valid.exit_code == 0, valid.text);
}

TEST_CASE("a run that is killed keeps the collectives that it has measured") {
    const Place place;
    const std::string path = place / "points.json";
    // The second collective has 18 sizes, of which none is written before all are there.
    const std::string bench = R"("$0" bench barrier allreduce -t 2 -e 1M --rounds 1 -n 100000 --seconds )";
    const Outcome killed = shell(bench + "0.5 -q --json " + path + R"( & bench=$!
        while ! grep -q barrier )" +
                                 path + R"( 2>/dev/null && kill -0 $bench; do sleep 0.02; done
        kill -9 $bench)");
    CAPTURE(killed.text);
    const json written = parsed(path);
    REQUIRE(written.at("points").size() == 1);
    CHECK(written.at("points")[0].at("collective") == "barrier");
    CHECK(written.at("complete") == false);
}

TEST_CASE("compare ends with exit code 3 when something is slower, and with 0 when not") {
    const Place place;
    const std::string line = compare(place, {spread_point(8, 1), spread_point(1024, 10)},
                                     {spread_point(8, 0.5), spread_point(1024, 15)});
    expect(3, line, "1 of 2 points of tutti is slower, 1 faster\n", "1.50x");
    expect(0, line + " --effect 60",
           "0 of 2 points of tutti are slower, 1 faster, 1 the same\n  the same: medians less than 60 % "
           "apart\n");
}

TEST_CASE("compare says first in what machines and versions differ") {
    const bool in_clone = std::filesystem::exists(TUTTI_DOCS "/../.git");
    CHECK(in_clone == tutti::bench::version_of_tutti().starts_with(TUTTI_VERSION_STRING " (commit "));
    const Place place;
    const std::vector points{spread_point(8, 1)};
    const json here{{"machine", {{"model", "Alpha"}, {"cpus_in_machine", 4}, {"cpu_list", "0-3"}}},
                    {"system", "Linux 1"},
                    {"versions", {{"tutti", "1.0"}}}};
    const json there{{"machine", {{"model", "Beta"}, {"cpus_in_machine", 8}, {"cpu_list", "0-3"}}},
                     {"system", "Linux 2"},
                     {"versions", {{"tutti", "2.0"}}}};
    CHECK(expect(0, compare(place, points, points, here, there))
              .text.starts_with("the files are not from the same machine and version:\n"
                                "  processor: Alpha | Beta\n"
                                "  CPUs in the machine: 4 | 8\n"
                                "  kernel: Linux 1 | Linux 2\n"
                                "  version of tutti: 1.0 | 2.0\n0 of 1"));
    CHECK(expect(0, compare(place, points, points, here, here)).text.starts_with("0 of 1"));
    expect(0, compare(place, points, points, here), "processor: Alpha | not stated");
}

TEST_CASE("compare shows bandwidths, and what is unclear or not significant does not count as slower") {
    const Place place;
    Point before = spread_point(1'000'000, 100);
    Point after = spread_point(1'000'000, 200);
    before.floor_us = 90;
    after.floor_us = 185;
    const std::string line = compare(place, {before}, {after});
    const Outcome outcome = expect(0, line, "unclear  allreduce", "algbw",
                                   "  5  2.00x", // a megabyte in 200 us: 5 GB/s
                                   "0 of 1 point of tutti are slower, 0 faster, 1 unclear\n"
                                   "  unclear: no more than the drift, or the floor has changed as much\n");
    CHECK_FALSE(outcome.says("same"));
    CHECK_FALSE(outcome.says("in one file only"));
    expect(0, line + " --provider all", "unclear  tutti");
    before = spread_point(64, 100);
    before.problem.in_place = true;
    after = before;
    after.samples_us = {200, 200};
    after.time_us = tutti::bench::summarise(after.samples_us);
    expect(0, compare(place, {before, spread_point(8, 1)}, {after}),
           "not significant  allreduce in place  auto",
           "0 of 1 point of tutti are slower, 0 faster, 1 not significant\n"
           "  not significant: medians 10 % apart or more, but p >= 0.001\n"
           "  in one file only: 1 and 0 points\n");
}

TEST_CASE("files that cannot be compared are rejected with the reason") {
    const Place place;
    Point four = spread_point(8, 1);
    four.problem.members = 4;
    expect(2, compare(place, {spread_point(8, 1)}, {four}),
           "in common; the first ones are allreduce 8 B, 2 members of ", "there are 1 and 1");
    const std::string good = place / "before";
    const std::string bad = place / "bad";
    const auto rejected = [&](const std::string& text, const std::string& reason) {
        std::ofstream(bad) << text;
        expect(2, "compare " + good + " " + bad, bad, reason);
        expect(2, "compare " + bad + " " + good, bad, reason);
    };
    json content = parsed(good);
    const std::string whole = content.dump();
    rejected("", "is no JSON, or cut off");
    rejected(whole.substr(0, whole.size() / 2), "is no JSON, or cut off");
    rejected("[1, 2]", "is no file that `tutti bench --json` wrote");
    rejected(R"({"schema": 7, "points": []})", "is no file that `tutti bench --json` wrote");
    rejected(R"({"schema": "tutti-bench-1", "points": []})", "has schema \"tutti-bench-1\"");
    rejected(R"({"schema": "tutti-bench-3", "points": []})", "in common");
    for (const auto& [field, value] :
         std::vector<std::pair<std::string, json>>{{"collective", "gossip"},
                                                   {"members", -1},
                                                   {"median_us", "fast"},
                                                   {"samples_us", json::array({1, nullptr})},
                                                   {"samples_us", json::array({1, -1})}}) {
        json damaged = content;
        damaged["points"][0][field] = value;
        rejected(damaged.dump(), "entry 0 of \"points\" is damaged");
    }
    content["points"][0].erase("repetitions");
    rejected(content.dump(), "repetitions");
    const std::string folder = place / "";
    expect(2, "compare " + good + " " + folder, folder + " is a folder");
    expect(2, "compare " + folder + " " + good, folder + " is a folder");
    expect(2, "compare " + good + " /nonexistent", "/nonexistent is not there");
    expect(2, "compare " + good + " " + good + " --provider abacus", "\"abacus\" in common");
    expect(2, "compare " + good + " " + good + " --effect -1", "--effect");
    expect(2, "compare " + good + " " + good + " --significance 1", "--significance");
}
