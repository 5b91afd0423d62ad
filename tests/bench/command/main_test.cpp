#include "../../test.hpp"
#include "support.hpp"

using tutti::test::Outcome;
using tutti::test::tutti_command;

TEST_CASE("usage errors end with exit code 2 and say what would work") {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{},
         "there are: info, bench, compare, report, trace, guidelines, measure, verify, draw, model, "
         "help"},
        {{"sing"}, "sing"},
        {{"bench", "--loud"}, "--loud"},
        {{"bench", "gossip"}, "there are: barrier, broadcast, reduce, allreduce"},
        {{"bench", "-b", "8X"}, "--begin: \"8X\""},
        {{"bench", "-b", "0"}, "--begin"},
        {{"bench", "-e", "4"}, "--end"},
        {{"bench", "-f", "1"}, "--factor"},
        {{"bench", "-t", "2,x"}, "--members"},
        {{"bench", "-t", "0"}, "--members"},
        {{"bench", "-d", "f8"}, "complex128"},
        {{"bench", "-o", "avg"}, "bxor"},
        {{"bench", "-o", "band", "-d", "f64"}, "operator band is not defined for f64"},
        {{"bench", "-a", "magic"}, "there are: auto, all, direct"},
        {{"bench", "-a", "census", "allreduce", "-t", "2", "-e", "8"},
         "in any order, which sum on f64 does not"},
        {{"bench", "-a", "ring,hypercube", "allreduce", "-t", "2,3", "-e", "8"},
         "--algorithm: allreduce hypercube is for powers of two, not for 3 members"},
        {{"bench", "--placement", "sideways"}, "--placement"},
        {{"draw"}, "collective: which one?"},
        {{"draw", "allreduce"}, "--algorithm: which one? There are: "},
        {{"model", "--predict", "allreduce"}, "--machine: which one?"},
        {{"bench", "--baseline", "openmpi,abacus"}, "\"abacus\" is unknown; there are: none, all, openmpi"},
        {{"bench", "--shared", "broadcast"}, "broadcast has no result that members could share"},
        {{"bench", "--shared", "--baseline", "openmpi"}, "--baseline with --shared: \"openmpi\" is unknown"},
        {{"bench", "--shared", "--in-place"}, "--in-place"},
        {{"bench", "--calling", "blocking,later"},
         "\"later\" is unknown; there are: blocking, started, persistent, arriving, single_caller"},
        {{"bench", "--calling", "arriving", "-a", "direct"}, "such calls cannot name an algorithm"},
        {{"bench", "--calling", "single_caller", "-d", "f32"}, "--type f64 and --op sum only"},
        {{"bench", "--calling", "started", "--shared"}, "--shared"},
        {{"bench", "--in-flight", "0"}, "--in-flight: from 1 to"},
        {{"bench", "--seconds", "0"}, "--seconds"},
        {{"bench", "-n", "0"}, "--repetitions"},
        {{"bench", "--rounds", "0"}, "--rounds"},
        {{"bench", "--json", "/nonexistent/file"}, "cannot write /nonexistent/file"},
        {{"guidelines", "--tolerance", "-1"}, "--tolerance"},
        {{"guidelines", "-b", "8X"}, "--begin: \"8X\""},
        {{"verify", "-t", "5:1"}, "--members: \"5:1\" runs backwards; write 1:5"},
        {{"verify", "--algorithm", "magic"}, "circulant"},
        {{"verify", "gossip"}, "collective: \"gossip\""},
        {{"verify", "--expression", "22:22"}, "0 <= RANK < MEMBERS"},
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

TEST_CASE("help and version are where people look for them") {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"help"}, {"--help"}, {"-h"}}) {
        const Outcome help = tutti_command(arguments);
        CHECK(help.exit_code == 0);
        CHECK_MESSAGE(help.says("Usage: tutti [OPTIONS] [SUBCOMMAND]"), help.text);
        CHECK(help.says("guidelines"));
    }
    CHECK(tutti_command({"help", "bench"}).text == tutti_command({"bench", "--help"}).text);
    CHECK(tutti_command({"-V"}).text == tutti_command({"--version"}).text);
    CHECK(tutti_command({"-V"}).exit_code == 0);
}

TEST_CASE("a wrong placement is rejected before anything is printed, and a wrong variable is reported") {
    const auto bench = [](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"bench", "barrier", "-t", "2", "-n", "10", "-q"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tutti_command(arguments);
    };
    const Outcome placement = bench({"--placement", "0,99999"});
    CHECK(placement.exit_code == 2);
    CHECK(placement.text.starts_with("tutti: --placement: "));
    for (const char* const name : {"TUTTI_ISA", "TUTTI_TIMEOUT", "TUTTI_WAIT", "TUTTI_ROLL_CALL"}) {
        setenv(name, "nonsense", 1);
        const Outcome variable = bench({});
        unsetenv(name);
        CAPTURE(variable.text);
        CHECK(variable.exit_code == 0);
        CHECK(variable.text.starts_with(std::string("tutti: ") + name + ": \"nonsense\" is ignored: use "));
    }
}

TEST_CASE("ways to wait are measured beside busy loops of other processes") {
    const Outcome measured = tutti_command({"bench", "allreduce", "--busy", "0,1", "-t", "2", "--placement",
                                            "none", "--seconds", "0.02", "--rounds", "2"});
    CAPTURE(measured.text);
    CHECK(measured.exit_code == 0);
    for (const char* const part : {"automatic", "std::barrier", "      2      0      time",
                                   "      2      1  CPU time", "medians of 2 rounds of 0.01 s"}) {
        CHECK(measured.says(part));
    }
    CHECK(
        tutti_command({"bench", "--busy", "-1"}).says("--busy: -1 is not a number of loops from 0 to 1000"));
    CHECK(tutti_command({"bench", "scan", "--busy", "1"}).says("--busy: measures allreduce"));
    CHECK(tutti_command({"bench", "--busy", "1", "--json", "-"}).says("--json excludes --busy"));
    CHECK(tutti_command({"bench", "--busy", "1", "--in-place"}).says("--in-place excludes --busy"));
}

TEST_CASE("who mistypes a name is told which one is near") {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"bnch"}, "no command \"bnch\" (did you mean bench?); there are: info, bench"},
        {{"bnch", "allreduce", "-t", "2"}, "no command \"bnch\" (did you mean bench?)"},
        {{"help", "compar"}, "(did you mean compare?)"},
        {{"bench", "--algoritm", "ring"}, "bench: there is no option --algoritm (did you mean --algorithm?)"},
        {{"bench", "--member=2"}, "no option --member (did you mean --members?)"},
        {{"--versoin"}, "(did you mean --version?)"},
        {{"bench", "alreduce"}, "\"alreduce\" is no collective (did you mean allreduce?)"},
        {{"bench", "-a", "rnig"},
         "--algorithm: \"rnig\" is unknown (did you mean ring?); there are: auto, all"},
        {{"bench", "-d", "f46"}, "\"f46\" is no element type (did you mean "},
        {{"bench", "-o", "summ"}, "(did you mean sum?)"},
        {{"bench", "--baseline", "openmp1"}, "(did you mean openmpi?)"},
        {{"bench", "--calling", "startd"}, "(did you mean started?)"},
        {{"draw", "scann", "-a", "ring"}, "(did you mean scan?)"},
        {{"draw", "scan", "-a", "rin"}, "(did you mean ring?)"},
        {{"verify", "reduce_scater"}, "(did you mean reduce_scatter?)"},
        {{"verify", "-a", "butterfl"}, "(did you mean butterfly?)"},
        {{"info", "--why", "alreduce"}, "(did you mean allreduce?)"},
        {{"--versoin"}, "tutti: there is no option --versoin"},
        {{"model", "-a", "ring"}, "tutti: model: --algorithm requires --predict"},
        {{"trace"}, "tutti: trace: subject is required"},
        {{"model", "--machine", "epyc-7742-2s"}, "tutti: --machine: what of it? --predict or --traffic"},
        {{"compare", "a", "b", "c"}, "compare: \"c\" is one word too many"},
    };
    for (const auto& expected : cases) {
        const std::string& message = expected.second;
        const Outcome outcome = tutti_command(expected.first);
        CAPTURE(outcome.text);
        CAPTURE(message);
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.says(message));
    }
}

TEST_CASE("names and lists are taken as people write them") {
    const Outcome outcome =
        tutti_command({"bench", "reduce-scatter", "-d", "double", "-a", "hypercube,ring", "-t", "2", "-b",
                       "1K", "-e", "1K", "-n", "10", "--rounds", "1", "--seconds", "0.01", "-q"});
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.says("hypercube"));
    CHECK(outcome.says("ring"));
    CHECK_FALSE(outcome.says("auto"));
}

TEST_CASE("a collective is a word and members are -t everywhere") {
    const std::vector<std::vector<std::string>> calls{
        {"draw", "scan", "-a", "ring", "-t", "5"},
        {"model", "scan", "-t", "5"},
        {"model", "--cluster", "--nodes", "64", "-t", "5"},
        {"verify", "scan", "-t", "5", "--expression", "5:4", "-a", "ring"},
        {"info", "--why", "scan", "-t", "5"}};
    for (const std::vector<std::string>& call : calls) {
        const Outcome outcome = tutti_command(call);
        CAPTURE(outcome.text);
        CHECK(outcome.exit_code == 0);
    }
    CHECK(tutti_command({"draw", "-a", "ring"}).says("collective"));
}

TEST_CASE("a value of another type is named with what it should be") {
    const auto refused = [](const std::vector<std::string>& words, const std::string& text) {
        const Outcome outcome = tutti_command(words);
        CHECK(outcome.exit_code == 2);
        CHECK_MESSAGE(outcome.text.starts_with("tutti: " + text), outcome.text);
    };
    refused({"bench", "allreduce", "--check", "foo"}, "bench: --check: \"foo\" is not 0 or 1");
    refused({"model", "--alpha", "x"}, "model: --alpha: \"x\" is not a number");
    refused({"trace", "barrier", "-t", "x"}, "trace: --members: \"x\" is not a whole number");
    refused({"bench", "allreduce", "--placement", "foo"}, "--placement: 'foo' in");
    refused({"bench", "allreduce", "--levels", "2,2", "-t", "4,2"},
            "--levels: 2,2 are no groups of 2 members");
}
