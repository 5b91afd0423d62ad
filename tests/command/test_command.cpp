#include "command.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace tutti::bench;
using tutti::test::Outcome;
using tutti::test::tutti_command;

namespace {

/// A file name that is free, and whose file disappears.
class TemporaryFile {
public:
    explicit TemporaryFile(const char* suffix)
        : path_((std::filesystem::temp_directory_path() / ("tutti-test-" + std::to_string(getpid()) + suffix))
                    .string()) {}
    ~TemporaryFile() {
        std::error_code error;
        std::filesystem::remove(path_, error);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }

    nlohmann::json json() const {
        std::ifstream file(path_);
        return nlohmann::json::parse(file);
    }

private:
    std::string path_;
};

void check_fields(const nlohmann::json& point) {
    static const std::set<std::string> expected{
        "provider", "collective",  "algorithm", "members",     "bytes",     "type",   "op",
        "in_place", "shared",      "median_us", "ci95_us",     "p99_us",    "max_us", "floor_us",
        "loop_us",  "exchange_us", "wrong",     "repetitions", "samples_us"};
    std::set<std::string> found;
    for (const auto& [name, value] : point.items()) {
        found.insert(name);
    }
    CHECK(found == expected);
    CHECK(point.at("wrong") == 0);
    CHECK(point.at("repetitions").get<int>() >= 1);
    CHECK(point.at("median_us").get<double>() > 0);
    CHECK(point.at("ci95_us").size() == 2);
    CHECK(point.at("ci95_us")[0].get<double>() <= point.at("median_us").get<double>());
    CHECK(point.at("median_us").get<double>() <= point.at("ci95_us")[1].get<double>());
    CHECK(point.at("p99_us").get<double>() <= point.at("max_us").get<double>());
}

} // namespace

TEST_CASE("usage errors end with exit code 2 and say what would work") {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{}, "info, bench, compare, guidelines, tune, verify, draw or model"},
        {{"sing"}, "sing"},
        {{"bench", "--loud"}, "--loud"},
        {{"bench", "gossip"}, "there are: barrier, broadcast, reduce, allreduce"},
        {{"bench", "-b", "8X"}, "--begin: \"8X\""},
        {{"bench", "-b", "0"}, "--begin"},
        {{"bench", "-e", "4"}, "--end"},
        {{"bench", "-f", "1"}, "--factor"},
        {{"bench", "-t", "2,x"}, "--members"},
        {{"bench", "-t", "0"}, "--members"},
        {{"bench", "-d", "f16"}, "c64"},
        {{"bench", "-o", "avg"}, "bxor"},
        {{"bench", "-o", "band", "-d", "f64"}, "operator band is not defined for f64"},
        {{"bench", "-a", "magic"}, "there are: auto, all, direct"},
        {{"bench", "-a", "census", "allreduce", "-t", "2", "-e", "8"},
         "in any order, which sum on f64 does not"},
        {{"bench", "--placement", "sideways"}, "--placement"},
        {{"bench", "--baseline", "openmpi,abacus"}, "\"abacus\" is unknown; there are: none, all, openmpi"},
        {{"bench", "--shared", "broadcast"}, "broadcast has no result that members could share"},
        {{"bench", "--shared", "--baseline", "openmpi"}, "\"openmpi\" is unknown or no peer for --shared"},
        {{"bench", "--shared", "--in-place"}, "--in-place"},
        {{"bench", "--seconds", "0"}, "--seconds"},
        {{"bench", "-n", "0"}, "--repetitions"},
        {{"bench", "--rounds", "0"}, "--rounds"},
        {{"bench", "--json", "/nonexistent/file"}, "cannot write /nonexistent/file"},
        {{"guidelines", "--tolerance", "-1"}, "--tolerance"},
        {{"guidelines", "-b", "8X"}, "--begin: \"8X\""},
        {{"verify", "--ranks", "5:1"}, "--ranks: \"5:1\" runs backwards; write 1:5"},
        {{"verify", "--algorithm", "magic"}, "allreduce census"},
        {{"verify", "--collective", "gossip"}, "--collective"},
        {{"verify", "--expression", "22:22"}, "0 <= RANK < RANKS"},
        {{"verify", "--expression", "x"}, "such as 22:21"},
    };
    for (const auto& expected : cases) {
        const std::string& message = expected.second;
        const Outcome outcome = tutti_command(expected.first);
        CAPTURE(message);
        CAPTURE(outcome.text);
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.says(message));
    }
}

TEST_CASE("more memory than there is ends with exit code 4") {
    const Outcome outcome = tutti_command({"bench", "-t", "64", "-b", "1024G", "-e", "1024G", "allreduce"});
    CHECK(outcome.exit_code == 4);
    CHECK(outcome.says("choose a smaller --end or fewer --members"));
}

TEST_CASE("help and version end with exit code 0") {
    CHECK(tutti_command({"--version"}).exit_code == 0);
    const Outcome help = tutti_command({"bench", "--help"});
    CHECK(help.exit_code == 0);
    CHECK(help.says("--placement"));
}

TEST_CASE("info shows the machine, the build and the algorithms") {
    const Outcome info = tutti_command({"info"});
    CHECK(info.exit_code == 0);
    for (const char* part : {"CPUs", "kernels:", "mailboxes:", "for 64 members", "pinning:", "member 0"}) {
        CHECK(info.says(part));
    }
    const Outcome algorithms = tutti_command({"info", "--algorithms"});
    CHECK(algorithms.exit_code == 0);
    for (const char* part : {"census", "direct", "dissemination", "Träff 2024, Alg. 1, Theorem 1"}) {
        CHECK(algorithms.says(part));
    }
}

TEST_CASE("a measurement's results are right, and its JSON and CSV files are complete") {
    const TemporaryFile json_file(".json");
    const TemporaryFile csv_file(".csv");
    const Outcome outcome =
        tutti_command({"bench", "-t", "2,3", "-b", "8", "-e", "64K", "-f", "64", "-n", "12", "--rounds=2",
                       "--seconds=0.05", "-a", "all", "--json", json_file.path(), "--csv", csv_file.path()});
    CAPTURE(outcome.text);
    REQUIRE(outcome.exit_code == 0);
    const nlohmann::json json = json_file.json();
    CHECK(json.at("schema") == "tutti-bench-2");
    CHECK(json.at("environment").contains("machine"));
    CHECK(json.at("environment").contains("compiler"));
    CHECK(json.at("environment").at("placement") == "compact");
    CHECK(json.at("environment").at("pinning").at("3").size() == 3);
    std::set<std::string> collectives;
    std::set<std::string> algorithms;
    for (const nlohmann::json& point : json.at("points")) {
        check_fields(point);
        collectives.insert(point.at("collective"));
        algorithms.insert(point.at("algorithm"));
        CHECK(point.at("floor_us").is_null() == (point.at("collective") == "barrier"));
    }
    CHECK(collectives == std::set<std::string>{"barrier", "broadcast", "reduce", "allreduce",
                                               "reduce_scatter", "allgather", "gather", "scatter", "alltoall",
                                               "scan", "exscan", "shift"});
    CHECK(algorithms.contains("auto"));
    CHECK(algorithms.contains("circulant-square-root"));
    CHECK_FALSE(algorithms.contains("census")); // not for sums of floating-point numbers
    std::ifstream csv(csv_file.path());
    std::size_t lines = 0;
    for (std::string line; std::getline(csv, line);) {
        ++lines;
    }
    CHECK(lines == json.at("points").size() + 1);
}

TEST_CASE("results are right for other types, operators and in place") {
    for (const auto& options :
         std::vector<std::vector<std::string>>{{"-d", "i8", "-o", "max", "--in-place"},
                                               {"-d", "u64", "-o", "bxor", "-a", "all"},
                                               {"-d", "c32", "-o", "prod", "--in-place"},
                                               {"-d", "f64", "-o", "sum", "--shared"},
                                               {"-d", "f32", "-o", "min"}}) {
        std::vector<std::string> arguments{"bench", "-t", "3",  "-b",       "24", "-e",        "24K", "-f",
                                           "32",    "-n", "10", "--rounds", "1",  "--seconds", "0.05"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = tutti_command(arguments);
        CAPTURE(outcome.text);
        CHECK(outcome.exit_code == 0);
        CHECK(outcome.says("wrong elements: 0"));
    }
}

TEST_CASE("every baseline that is there does every collective that it has, and rightly") {
    const TemporaryFile json_file("-peers.json");
    const Outcome outcome =
        tutti_command({"bench", "-t", "3", "-b", "8K", "-e", "8K", "-n", "10", "--seconds", "0.05",
                       "--rounds", "1", "--baseline", "all", "--json", json_file.path()});
    CAPTURE(outcome.text);
    REQUIRE(outcome.exit_code == 0);
    CHECK_FALSE(outcome.says("failed"));
    const nlohmann::json json = json_file.json();
    std::map<std::string, int> points;
    for (const nlohmann::json& point : json.at("points")) {
        CAPTURE(point.dump());
        check_fields(point);
        ++points[point.at("provider")];
    }
    // Numbers of collectives that each has, not counting the barrier.
    const std::map<std::string, int> collectives{{"openmpi", 11}, {"mpich", 11},       {"openmp", 11},
                                                 {"tbb", 11},     {"std_barrier", 11}, {"openmp_clang", 11},
                                                 {"gloo", 7},     {"openmp_array", 3}, {"tutti", 11}};
    for (const auto& [provider, count] : collectives) {
        CAPTURE(provider);
        const bool has_barrier = provider != "tbb" && provider != "openmp_array";
        const bool absent = outcome.says("no baseline " + provider + ":");
        CHECK(points[provider] == (absent ? 0 : count + (has_barrier ? 1 : 0)));
    }
    CHECK(points.size() == collectives.size());
}

#if defined(TUTTI_HAS_OPEN_MPI)
TEST_CASE("Open MPI says its version, and does everything in place as well") {
    const TemporaryFile json_file("-mpi.json");
    const Outcome outcome = tutti_command({"bench", "-t", "3", "-b", "8K", "-e", "8K", "-n", "10",
                                           "--seconds", "0.05", "--in-place", "--rounds", "1", "--baseline",
                                           "openmpi,std_barrier", "--json", json_file.path()});
    CAPTURE(outcome.text);
    REQUIRE(outcome.exit_code == 0);
    const nlohmann::json json = json_file.json();
    std::map<std::string, int> points;
    for (const nlohmann::json& point : json.at("points")) {
        check_fields(point);
        ++points[point.at("provider")];
    }
    CHECK(points["openmpi"] == 12);
    CHECK(points["std_barrier"] == 10); // neither alltoall nor shift
    const auto version = json.at("environment").at("versions").at("openmpi").get<std::string>();
    CHECK(version.starts_with("Open MPI"));
}
#endif

TEST_CASE("guidelines measures what it judges, and the results are right") {
    const Outcome outcome = tutti_command({"guidelines", "-t", "2,3", "-e", "4K", "-f", "64", "-n", "10",
                                           "--seconds", "0.02", "--tolerance", "1000000"});
    CAPTURE(outcome.text);
    CHECK(outcome.says("(2) reduce_scatter <= allreduce"));
    CHECK(outcome.says("0 of   4 violated")); // two sizes, two numbers of members
    CHECK(outcome.says(" 0 wrong elements"));
}

TEST_CASE("the algorithms verify, and each is held against its closed forms") {
    const Outcome outcome = tutti_command({"verify", "--ranks", "1:16"});
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.says("all hold"));
    CHECK_FALSE(outcome.says("differ"));
}

TEST_CASE("the worked example of 22 members (Träff 2024, section 2.1)") {
    const Outcome outcome = tutti_command({"verify", "--expression", "22:21"});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.text ==
          "x21 + x10 + (x15 + x4) + (x18 + x7 + (x12 + x1)) + (x19 + x8 + (x13 + x2) + (x16 + x5)) + "
          "(x20 + x9 + (x14 + x3) + (x17 + x6 + (x11 + x0)))\n");
}

TEST_CASE("a child that fails, cannot be started or hangs is reported") {
    const auto ignore = [](const std::string&) {};
    CHECK(run_child({"true"}, 10, ignore).failure.empty());
    CHECK(run_child({"sh", "-c", "exit 3"}, 10, ignore).exit_code == 3);
    CHECK(run_child({"sh", "-c", "kill -9 $$"}, 10, ignore).failure == "sh was killed by signal 9");
    CHECK_FALSE(run_child({"/nonexistent/program"}, 10, ignore).failure.empty());
    CHECK(run_child({"sleep", "1000"}, 1, ignore).failure == "sleep made no progress for 1 s");
    std::vector<std::string> lines;
    run_child({"sh", "-c", "echo one; echo two >&2; printf three"}, 10,
              [&](const std::string& line) { lines.push_back(line); });
    CHECK(lines == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("info lists every algorithm, as text and as Markdown") {
    const Outcome table = tutti_command({"info", "--algorithms"});
    CHECK(table.exit_code == 0);
    const Outcome markdown = tutti_command({"info", "--algorithms", "--markdown"});
    CHECK(markdown.exit_code == 0);
    for (const char* collective : {"barrier", "broadcast", "reduce", "allreduce", "reduce_scatter",
                                   "allgather", "gather", "scatter", "alltoall", "scan", "exscan", "shift"}) {
        CHECK(table.says(std::string("\n") + collective + " "));
        CHECK(markdown.says(std::string("| ") + collective + " |"));
    }
    std::ifstream page(TUTTI_DOCS "/algorithms.md");
    const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
    CHECK_MESSAGE(text.find(markdown.text) != std::string::npos,
                  "docs/algorithms.md is not what `tutti info --algorithms --markdown` prints");
    const Outcome names = tutti_command({"info", "--algorithms", "--markdown", "--names"});
    CHECK(names.exit_code == 0);
    std::ifstream readme(TUTTI_DOCS "/../README.md");
    const std::string shown((std::istreambuf_iterator<char>(readme)), std::istreambuf_iterator<char>());
    CHECK_MESSAGE(shown.find(names.text) != std::string::npos,
                  "README.md does not have what `tutti info --algorithms --markdown --names` prints");
}

TEST_CASE("draw writes a drawing of a schedule and the expression of a result") {
    const Outcome svg = tutti_command({"draw", "--collective", "allgather", "-a", "circulant", "-r", "11"});
    CHECK(svg.exit_code == 0);
    CHECK(svg.says("<svg"));
    const Outcome dot = tutti_command(
        {"draw", "--collective", "allgather", "-a", "circulant", "-r", "11", "--format", "dot"});
    CHECK(dot.exit_code == 0);
    CHECK(dot.says("digraph"));
    const Outcome expression = tutti_command(
        {"draw", "--collective", "reduce_scatter", "-a", "circulant", "-r", "22", "--expression", "21"});
    CHECK(expression.exit_code == 0);
    CHECK(expression.says("x21 + x10 + (x15 + x4)"));
    CHECK(tutti_command({"draw", "--collective", "allgather", "-a", "hypercube", "-r", "11"}).exit_code == 2);
}

TEST_CASE("model reproduces the papers' tables but for what is marked") {
    const Outcome butterflies = tutti_command({"model", "--table", "rabenseifner-traff-2004"});
    CHECK(butterflies.exit_code == 0);
    CHECK(butterflies.says("2 + 0.2 + 0.02 = 2.22"));
    CHECK(tutti_command({"model", "--table", "traff-2023"}).exit_code == 0);
    const Outcome skips = tutti_command({"model", "--table", "traff-2024", "--ranks", "22"});
    CHECK(skips.exit_code == 0);
    CHECK(skips.says("11"));
    CHECK(tutti_command({"model", "--table", "nobody-1999"}).exit_code == 2);
}

TEST_CASE("model --cluster predicts, says so, and refuses what cannot be") {
    const Outcome fine = tutti_command({"model", "--cluster", "--nodes", "2048", "--bytes", "64K"});
    CHECK(fine.exit_code == 0);
    CHECK(fine.says("A model, nothing here has been measured: allreduce of 64 KiB"));
    CHECK(fine.says("   2048 "));
    const Outcome refused = tutti_command({"model", "--cluster", "--nodes", "1"});
    CHECK(refused.exit_code == 2);
    CHECK(refused.says("--nodes must be in 2.."));
}
