#include "../../test.hpp"
#include "mpirun/temporary_directory.hpp"
#include "support.hpp"

#include <nlohmann/json.hpp>

using tutti::bench::TemporaryDirectory;
using tutti::test::Outcome;
using tutti::test::tutti_command;

namespace {

nlohmann::json read(const std::string& path) {
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

void check_fields(const nlohmann::json& point) {
    static const std::set<std::string> expected{
        "provider", "collective", "algorithm",   "members",   "bytes",       "type",      "op",
        "in_place", "shared",     "chosen",      "median_us", "ci95_us",     "p99_us",    "max_us",
        "floor_us", "loop_us",    "exchange_us", "wrong",     "repetitions", "samples_us"};
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

TEST_CASE("more memory than there is ends with exit code 4") {
    const Outcome outcome = tutti_command({"bench", "-t", "64", "-b", "1024G", "-e", "1024G", "allreduce"});
    CHECK(outcome.exit_code == 4);
    CHECK(outcome.says("choose a smaller --end or fewer --members"));
}

TEST_CASE("bench says what it leaves out of what is asked for, and what it changes") {
    const auto said = [](const char* arguments) {
        return tutti::test::shell(std::string(R"("$0" bench -n 2 --rounds 1 --seconds 0.01 -q )") +
                                  arguments + " 2>&1 >/dev/null");
    };
    CHECK(said("allreduce reduce_scatter -t 2 -b 16 -e 16 -a tree").text ==
          "tutti: reduce_scatter has no algorithm tree, and is measured not at all\n");
    CHECK(said("allreduce reduce_scatter -t 2 -b 16 -e 16 -a tree,auto").text ==
          "tutti: reduce_scatter has no algorithm tree, and is measured by the others\n");
    CHECK(said("allreduce -t 2 -b 3 -e 3").text ==
          "tutti: vectors are made of whole elements and blocks: 3 B become 8 B in allreduce of 2 members\n");
    CHECK(said("scatter gather barrier -t 3 -b 1K -e 2K").text ==
          "tutti: vectors are made of whole elements and blocks: 1 KiB become 1008 B in scatter of 3 "
          "members; so "
          "do 3 other sizes\n");
    const Outcome all = said("allreduce scan -t 2,3 -b 8 -e 8 -a all");
    CAPTURE(all.text);
    CHECK(all.says("tutti: left out: allreduce by "));
    CHECK(all.says("(is for powers of two, not for 3 members)\n"));
    CHECK_FALSE(all.says("not for 2 members"));
    CHECK_FALSE(all.says("has no algorithm"));
    CHECK(said("barrier allreduce -t 2 -b 8 -e 8").text.empty());
}

TEST_CASE("members on one CPU are held against the system's turns, and against no exchange of flags") {
    const Outcome outcome = tutti::test::shell(
        R"(cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
           "$0" bench allreduce -t 2 -b 8 -e 8 -n 10 --rounds 1 --seconds 0.02 -q --placement $cpu)");
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.says("2 members on 1 CPU"));
    CHECK_FALSE(outcome.says("bare exchange"));
}

TEST_CASE("tables of the command fit the columns that there are") {
    for (const char* arguments :
         {"bench allreduce -t 2 -e 8 -n 10 --rounds 1 --seconds 0.01 -q --baseline std_barrier",
          "verify scan -t 2,3 -q", "info --algorithms"}) {
        const Outcome outcome = tutti::test::shell(std::string("COLUMNS=80 \"$0\" ") + arguments);
        CAPTURE(outcome.text);
        CHECK(outcome.exit_code == 0);
        std::istringstream lines(outcome.text);
        for (std::string line; std::getline(lines, line);) {
            CHECK_MESSAGE(line.size() <= 82, line); // a letter or two may take two bytes
        }
    }
}

TEST_CASE("a measurement's results are right, and its JSON and CSV files are complete") {
    const TemporaryDirectory directory;
    const std::string json_path = directory.path() / "points.json";
    const std::string csv_path = directory.path() / "points.csv";
    const Outcome outcome =
        tutti_command({"bench", "-t", "2,3", "-b", "8", "-e", "64K", "-f", "64", "-n", "12", "--rounds=2",
                       "--seconds=0.05", "-a", "all", "--json", json_path, "--csv", csv_path});
    CAPTURE(outcome.text);
    REQUIRE(outcome.exit_code == 0);
    const nlohmann::json json = read(json_path);
    CHECK(json.at("schema") == "tutti-bench-2");
    CHECK(json.at("environment").contains("machine"));
    CHECK(json.at("environment").contains("compiler"));
    CHECK(json.at("environment").at("placement") == "compact");
    CHECK(json.at("environment").at("command").get<std::string>().starts_with("tutti bench -t 2,3 -b 8 "));
    CHECK(json.at("environment").at("time").get<std::string>().size() ==
          std::string("2026-01-31T12:00:00Z").size());
    CHECK(json.at("environment").at("pinning").at("3").size() == 3);
    std::set<std::string> collectives;
    std::set<std::string> algorithms;
    for (const nlohmann::json& point : json.at("points")) {
        check_fields(point);
        collectives.insert(point.at("collective"));
        algorithms.insert(point.at("algorithm"));
        CHECK(point.at("chosen").get<std::string>().empty() == (point.at("algorithm") != "auto"));
        CHECK(point.at("floor_us").is_null() == (point.at("collective") == "barrier"));
    }
    CHECK(collectives == std::set<std::string>{"barrier", "broadcast", "reduce", "allreduce",
                                               "reduce_scatter", "allgather", "gather", "scatter", "alltoall",
                                               "scan", "exscan", "shift"});
    CHECK(algorithms.contains("auto"));
    CHECK(algorithms.contains("circulant-square-root"));
    CHECK_FALSE(algorithms.contains("census")); // not for sums of floating-point numbers
    std::ifstream csv(csv_path);
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
                                               {"-d", "complex64", "-o", "prod", "--in-place"},
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

TEST_CASE("every way of calling does every collective rightly, and those in flight on vectors of their own") {
    for (const char* vectors : {"--in-place=false", "--in-place"}) {
        const TemporaryDirectory directory;
        const std::string json_path = directory.path() / "points.json";
        std::vector<std::string> arguments{"bench", "-t", "3",    "-b", "24", "-e",
                                           "24K",   "-f", "1024", "-n", "10"};
        for (const char* more :
             {"--rounds=1", "--seconds=0.05", "--calling=started,persistent,arriving,single_caller",
              "--in-flight=5", "--baseline=std_barrier", "--json", json_path.c_str(), vectors}) {
            arguments.emplace_back(more);
        }
        const Outcome outcome = tutti_command(arguments);
        CAPTURE(outcome.text);
        REQUIRE(outcome.exit_code == 0);
        CHECK(outcome.says("tutti_5_in_flight: 5 calls started on vectors of their own"));
        const nlohmann::json json = read(json_path);
        std::map<std::string, std::set<std::string>> collectives;
        for (const nlohmann::json& point : json.at("points")) {
            check_fields(point);
            collectives[point.at("provider")].insert(point.at("collective"));
        }
        for (const char* name :
             {"tutti", "tutti_started", "tutti_persistent", "tutti_5_in_flight", "tutti_arriving"}) {
            CAPTURE(name);
            CHECK(collectives[name].size() == 12);
        }
        // No barrier; in place, no reduce, gather and scatter either.
        CHECK(collectives["tutti_single_caller"].size() ==
              (std::string_view(vectors) == "--in-place" ? 8 : 11));
    }
}

TEST_CASE("every baseline that is there does every collective that it has, and rightly") {
    const TemporaryDirectory directory;
    const std::string json_path = directory.path() / "points.json";
    const Outcome outcome =
        tutti_command({"bench", "-t", "3", "-b", "8K", "-e", "8K", "-n", "10", "--seconds", "0.05",
                       "--rounds", "1", "--baseline", "all", "--json", json_path});
    CAPTURE(outcome.text);
    REQUIRE(outcome.exit_code == 0);
    CHECK_FALSE(outcome.says("failed"));
    const nlohmann::json json = read(json_path);
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
    for (const auto& expected : collectives) {
        const std::string& provider = expected.first;
        CAPTURE(provider);
        const bool has_barrier = provider != "tbb" && provider != "openmp_array";
        const bool absent = outcome.says("no baseline " + provider + ":");
        CHECK(points[provider] == (absent ? 0 : expected.second + (has_barrier ? 1 : 0)));
    }
    CHECK(points.size() == collectives.size());
}

#if defined(TUTTI_HAS_OPEN_MPI)
TEST_CASE("Open MPI says its version, and does everything in place as well") {
    const TemporaryDirectory directory;
    const std::string json_path = directory.path() / "points.json";
    const Outcome outcome = tutti_command({"bench", "-t", "3", "-b", "8K", "-e", "8K", "-n", "10",
                                           "--seconds", "0.05", "--in-place", "--rounds", "1", "--baseline",
                                           "openmpi,std_barrier", "--json", json_path});
    CAPTURE(outcome.text);
    REQUIRE(outcome.exit_code == 0);
    const nlohmann::json json = read(json_path);
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
