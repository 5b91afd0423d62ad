#include "../../test.hpp"
#include "mpirun/temporary_directory.hpp"
#include "report/results_file.hpp"
#include "support.hpp"

#include <nlohmann/json.hpp>

using nlohmann::json;
using tutti::bench::TemporaryDirectory;
using tutti::test::Outcome;
using tutti::test::shell;
using tutti::test::tutti_command;

namespace {

constexpr const char* schema_file = TUTTI_DOCS "/tutti-bench.schema.json";

json read(const std::string& path) {
    std::ifstream file(path);
    return json::parse(file);
}

/// Checks that an object has all keys of its schema and no others, and so on with what is in it.
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

} // namespace

TEST_CASE("what bench writes is what the documented schema says") {
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "points.json";
    const Outcome bench =
        tutti_command({"bench", "barrier", "allreduce", "-t", "2", "-e", "64", "-f", "8", "-n", "10",
                       "--rounds=1", "--seconds=0.02", "-q", "--baseline", "std_barrier", "--json", path});
    CAPTURE(bench.text);
    REQUIRE(bench.exit_code == 0);
    const json schema = read(schema_file);
    CHECK(schema.at("properties").at("schema").at("const") == tutti::bench::json_schema);
    check_keys(read(path), schema);
    const std::string script = "python3 -c 'import json, jsonschema, sys; "
                               "jsonschema.validate(json.load(open(sys.argv[1])), "
                               "json.load(open(sys.argv[2])))' ";
    if (shell("python3 -c 'import jsonschema'").exit_code != 0) {
        MESSAGE("python3-jsonschema is not there: types and ranges are not held against the schema");
        return;
    }
    const Outcome valid = shell(script + path + " " + schema_file);
    CHECK_MESSAGE(valid.exit_code == 0, valid.text);
}

TEST_CASE("a run that is killed keeps the collectives that it has measured") {
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "points.json";
    // The second collective has 18 sizes, of which none is written before all are there.
    const std::string bench = R"("$0" bench barrier allreduce -t 2 -e 1M --rounds 1 -n 100000 --seconds )";
    const Outcome killed = shell(bench + "0.5 -q --json " + path + R"( & bench=$!
        while ! grep -q barrier )" +
                                 path + R"( 2>/dev/null && kill -0 $bench; do sleep 0.02; done
        kill -9 $bench)");
    CAPTURE(killed.text);
    const json written = read(path);
    REQUIRE(written.at("points").size() == 1);
    CHECK(written.at("points")[0].at("collective") == "barrier");
    check_keys(written, read(schema_file));
}

TEST_CASE("a run that was interrupted is resumed by the same command on the same machine") {
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "points.json";
    const auto bench = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{
            "bench", "barrier", "allreduce",  "-t", "1,2",    "-e", "64",         "-f",         "8",
            "-n",    "10",      "--rounds=1", "-q", "--json", path, "--baseline", "std_barrier"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tutti_command(arguments);
    };
    const auto write = [&](const json& content) { std::ofstream(path) << content; };
    const auto keys_of = [](json points) {
        for (json& point : points) {
            for (const char* const measured : {"median_us", "ci95_us", "p99_us", "max_us", "floor_us",
                                               "loop_us", "exchange_us", "repetitions", "samples_us"}) {
                point.erase(measured);
            }
        }
        return points;
    };
    const Outcome first = bench({"--resume"});
    REQUIRE(first.exit_code == 0);
    CHECK(first.says("--resume: " + path + " has nothing yet, so all is measured"));
    const json whole = read(path);
    json part = whole;
    json& left = part.at("points");
    left.clear();
    for (const json& point : whole.at("points")) {
        if (point.at("members") == 1 || point.at("collective") == "barrier") {
            left.push_back(point);
        }
    }
    REQUIRE(left.size() < whole.at("points").size());
    part["complete"] = false;
    write(part);
    CHECK(tutti_command({"report", path, "-o", directory.path() / "part.html"})
              .says("! The run of points.json was interrupted after " + std::to_string(left.size())));
    const Outcome resumed = bench({"--resume"});
    CAPTURE(resumed.text);
    CHECK(resumed.exit_code == 0);
    CHECK(resumed.says("points.json has " + std::to_string(left.size()) + " points already"));
    const json after = read(path);
    CHECK(keys_of(after.at("points")) == keys_of(whole.at("points")));
    CHECK(after.at("points")[0] == whole.at("points")[0]);
    CHECK(after.at("environment") == whole.at("environment")); // with the command and time of the first run
    CHECK(whole.at("complete") == true);

    const Outcome other = bench({"--resume", "--op", "max", "--seconds", "0.2"});
    CHECK(other.exit_code == 2);
    CHECK(other.says(
        "points.json is of another command: --op was sum and is max, --seconds was 3 and is 0.2\n"));
    std::vector<std::string> loud{"bench",  "barrier", "allreduce",  "-t",          "1,2",     "-e",
                                  "64",     "-f",      "8",          "-n",          "10",      "--rounds=1",
                                  "--json", path,      "--baseline", "std_barrier", "--resume"};
    const Outcome done = tutti_command(loud);
    CHECK(done.says("\nnothing left to measure\n"));
    CHECK_FALSE(done.says("which may take"));
    part.at("environment").at("machine").at("model") = "Abacus";
    write(part);
    const Outcome elsewhere = bench({"--resume"});
    CHECK(elsewhere.exit_code == 2);
    CHECK(elsewhere.says("was measured elsewhere: processor was \"Abacus\", here"));
    CHECK(read(path) == part);
    CHECK(tutti_command({"bench", "--resume"}).says("--resume: needs the file"));
}

TEST_CASE("bench prints the formats of other tools alone to stdout") {
    const std::string bench =
        R"("$0" bench allreduce -t 2 -b 8 -e 64 -f 8 -n 10 --rounds 1 --seconds 0.02 -q 2>/dev/null --format )";
    const Outcome nccl = shell(bench + "nccl");
    CHECK(nccl.exit_code == 0);
    CHECK(nccl.text.starts_with("# tutti"));
    CHECK(nccl.says("\n          64             8    double     sum      -1  "));
    CHECK_FALSE(nccl.says("N/A"));
    const Outcome benchmark = shell(bench + "benchmark");
    CHECK(benchmark.exit_code == 0);
    CHECK(json::parse(benchmark.text).at("benchmarks").size() > 2);
    CHECK(shell(bench + "nccl --in-place 2>&1").exit_code == 2);
    CHECK(tutti_command({"bench", "--format", "ncl"}).says("(did you mean nccl?)"));
    CHECK(
        tutti_command({"bench", "--format", "nccl", "--json", "-"}).says("only one output can go to stdout"));
}
