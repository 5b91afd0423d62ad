#include "support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using tutti::test::Outcome;
using tutti::test::tutti_command;

TEST_CASE("usage errors end with exit code 2 and say what would work") {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{}, "info, bench, compare, guidelines, tune, measure, verify, draw or model"},
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
        {{"bench", "--calling", "blocking,later"},
         "\"later\" is unknown; there are: blocking, started, persistent, arriving, one_caller"},
        {{"bench", "--calling", "arriving", "-a", "direct"}, "such calls cannot name an algorithm"},
        {{"bench", "--calling", "one_caller", "-d", "f32"}, "--type f64 and --op sum only"},
        {{"bench", "--calling", "started", "--shared"}, "--shared"},
        {{"bench", "--in-flight", "0"}, "--in-flight: from 1 to"},
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

TEST_CASE("help and version end with exit code 0") {
    CHECK(tutti_command({"--version"}).exit_code == 0);
    const Outcome help = tutti_command({"bench", "--help"});
    CHECK(help.exit_code == 0);
    CHECK(help.says("--placement"));
}
