// tutti bench and tutti guidelines: what they measure and write.
#include "bench/tests/command.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::test;

namespace {

nlohmann::json json_in(const std::string& path) {
    return nlohmann::json::parse(std::ifstream(path));
}

/// The points of a file that `bench` wrote. Nothing is wrong in them.
nlohmann::json points_in(const std::string& path) {
    nlohmann::json points = json_in(path).at("points");
    for (const nlohmann::json& point : points) {
        CAPTURE(point.dump());
        CHECK(point.at("wrong") == 0);
        CHECK(point.at("median_us") > 0);
    }
    return points;
}

/// The collectives of which each provider has points.
std::map<std::string, std::set<std::string>> collectives_of(const nlohmann::json& points) {
    std::map<std::string, std::set<std::string>> collectives;
    for (const nlohmann::json& point : points) {
        collectives[point.at("provider")].insert(point.at("collective"));
    }
    return collectives;
}

} // namespace

TEST_CASE("more memory than there is ends with exit code 4") {
    expect(4, "bench -t 64 -b 1024G -e 1024G allreduce", "choose a smaller --end or fewer --members");
}

TEST_CASE("bench says what it leaves out of what is asked for") {
    const auto said = [](const std::string& arguments) {
        return shell(R"("$0" bench -n 2 --rounds 1 --seconds 0.01 -q )" + arguments + " 2>&1 >/dev/null")
            .text;
    };
    CHECK(said("allreduce reduce_scatter -t 2 -b 16 -e 16 -a tree") ==
          "tutti: reduce_scatter has no algorithm tree, and is measured not at all\n");
    CHECK(said("allreduce reduce_scatter -t 2 -b 16 -e 16 -a tree,auto") ==
          "tutti: reduce_scatter has no algorithm tree, and is measured by the others\n");
    const std::string all = said("allreduce scan -t 2,3 -b 8 -e 8 -a all");
    CAPTURE(all);
    CHECK(mentions(all, "tutti: left out: allreduce by "));
    CHECK(mentions(all, "(is for powers of two, not for 3 members)\n"));
    CHECK_FALSE(mentions(all, "not for 2 members"));
    CHECK_FALSE(mentions(all, "has no algorithm"));
    CHECK(said("barrier allreduce -t 2 -b 8 -e 8").empty());
}

TEST_CASE("members on one CPU are held against no exchange of flags") {
    const Outcome outcome = shell(
        R"(cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
           "$0" bench allreduce -t 2 -b 8 -e 8 -n 10 --rounds 1 --seconds 0.02 -q --placement $cpu)");
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.says("no bare exchange was measured"));
}

TEST_CASE("a measurement's results are right, and its JSON and HTML files are complete") {
    const Place place;
    expect(0,
           "bench -t 2,3 -b 8 -e 64K -f 64 -n 12 --rounds=2 --seconds=0.05 -a all --json " +
               place / "a.json" + " --html " + place / "a.html",
           "wrote " + place / "a.html");
    const nlohmann::json json = json_in(place / "a.json");
    const nlohmann::json& environment = json.at("environment");
    CHECK(environment.at("placement") == "compact");
    CHECK(environment.at("command").get<std::string>().starts_with("tutti bench -t 2,3 -b 8 "));
    CHECK(environment.at("time").get<std::string>().size() == std::string("2026-01-31T12:00:00Z").size());
    CHECK(environment.at("pinning").at("3").size() == 3);
    const nlohmann::json points = points_in(place / "a.json");
    std::set<std::string> algorithms;
    for (const nlohmann::json& point : points) {
        algorithms.insert(point.at("algorithm"));
        CHECK(point.at("chosen").get<std::string>().empty() == (point.at("algorithm") != "auto"));
        CHECK(point.at("floor_us").is_null() == (point.at("collective") == "barrier"));
    }
    CHECK(collectives_of(points)["tutti"].size() == 12);
    CHECK(algorithms.contains("auto"));
    CHECK(algorithms.contains("circulant-square-root"));
    CHECK_FALSE(algorithms.contains("census")); // not for sums of floating-point numbers
    CHECK(mentions(content_of(place / "a.html"), "\"command\":\"tutti bench -t 2,3"));
}

TEST_CASE("a limit of time leaves out rounds and points, and says so") {
    const Place place;
    const Outcome little =
        shell("$0 bench -t 2 -b 8 -e 64K -f 8192 --within 0.000001 --json " + place / "little.json");
    CHECK(little.exit_code == 0);
    CHECK(little.says("left out for lack of time: 69 of 69 measurements"));
    CHECK(points_in(place / "little.json").empty());
    const Outcome enough =
        shell("$0 bench -t 2,3 -b 8 -e 64K -f 8192 -n 10 --rounds 2 --within 100 --seconds 0.01 "
              "--baseline std_barrier allreduce --json " +
              place / "enough.json");
    CAPTURE(enough.text);
    CHECK(enough.exit_code == 0);
    CHECK_FALSE(enough.says("left out"));
    CHECK(enough.says("first results\n"));
    CHECK(enough.says("speed:  2 members "));
    CHECK(points_in(place / "enough.json").size() == 8);
    CHECK(shell("$0 bench --within -1").says("--within: must not be negative"));
}

TEST_CASE("results are right for other types, operators and in place") {
    for (const std::string options :
         {"-d i8 -o max --in-place", "-d u64 -o bxor -a all", "-d complex64 -o prod --in-place",
          "-d f64 -o sum --shared", "-d f32 -o min"}) {
        expect(0, "bench -t 3 -b 24 -e 24K -f 32 -n 10 --rounds 1 --seconds 0.05 " + options,
               "wrong elements: 0");
    }
}

TEST_CASE("every way of calling does every collective rightly, and those in flight on vectors of their own") {
    for (const std::string vectors : {"--in-place=false", "--in-place"}) {
        const Place place;
        expect(0,
               "bench -t 3 -b 24 -e 24K -f 1024 -n 10 --rounds=1 --seconds=0.05 --in-flight=5 "
               "--calling=started,persistent,arriving,all_buffers --baseline=std_barrier " +
                   vectors + " --json " + place / "a.json",
               "tutti_5_in_flight: 5 calls started on vectors of their own");
        auto collectives = collectives_of(points_in(place / "a.json"));
        for (const char* name :
             {"tutti", "tutti_started", "tutti_persistent", "tutti_5_in_flight", "tutti_arriving"}) {
            CAPTURE(name);
            CHECK(collectives[name].size() == 12);
        }
        // No barrier; in place, no reduce, gather and scatter either.
        CHECK(collectives["tutti_all_buffers"].size() == (vectors == "--in-place" ? 8 : 11));
    }
}

TEST_CASE("every baseline that is there does every collective that it has, and rightly") {
    const Place place;
    const Outcome outcome =
        expect(0, "bench -t 3 -b 8K -e 8K -n 10 --seconds 0.05 --rounds 1 --baseline all --json " +
                      place / "a.json");
    CHECK_FALSE(outcome.says("failed"));
    auto collectives = collectives_of(points_in(place / "a.json"));
    const std::map<std::string, std::size_t> numbers{
        {"openmpi", 12},      {"mpich", 12},       {"openmp", 12}, {"std_barrier", 12},
        {"openmp_clang", 12}, {"openmp_array", 3}, {"tutti", 12}};
    for (const auto& expected : numbers) {
        const bool absent = outcome.says("no baseline " + expected.first + ":");
        CHECK_MESSAGE(collectives[expected.first].size() == (absent ? 0 : expected.second), expected.first);
    }
    CHECK(collectives.size() == numbers.size());
}

#if defined(TUTTI_HAS_OPEN_MPI)
TEST_CASE("Open MPI says its version, and does everything in place as well") {
    const Place place;
    expect(0, "bench -t 3 -b 8K -e 8K -n 10 --seconds 0.05 --in-place --rounds 1 --baseline "
              "openmpi,std_barrier --json " +
                  place / "a.json");
    auto collectives = collectives_of(points_in(place / "a.json"));
    CHECK(collectives["openmpi"].size() == 12);
    CHECK(collectives["std_barrier"].size() == 10); // neither alltoall nor shift
    const std::string version = json_in(place / "a.json").at("environment").at("versions").at("openmpi");
    CHECK(version.starts_with("Open MPI"));
}
#endif

TEST_CASE("ways to wait are measured beside busy loops of other processes") {
    expect(0, "bench allreduce --busy 0,1 -t 2 --placement none --seconds 0.02 --rounds 2", "automatic",
           "std::barrier", "      2      0      time", "      2      1  CPU time",
           "medians of 2 rounds of 0.01 s");
}

TEST_CASE("guidelines measures what it judges, and the results are right") {
    expect(0, "guidelines -t 2,3 -e 4K -f 64 -n 10 --seconds 0.02 --tolerance 1000000",
           "(2) reduce_scatter <= allreduce", "0 of   4 violated", // two sizes, two numbers of members
           " 0 wrong elements");
}
