// What the command answers to arguments: errors, help, and where its output goes.
#include "bench/tests/command.hpp"

#include <regex>

using namespace tutti::test;

TEST_CASE("usage errors end with exit code 2 and say what would work") {
    expect(2, "",
           "there are: info, bench, compare, report, trace, guidelines, measure, verify, draw, model, help");
    expect(2, "sing", "sing");
    expect(2, "bench --loud", "--loud");
    expect(2, "bench gossip", "there are: barrier, broadcast, reduce, allreduce");
    expect(2, "bench -b 8X", "--begin: \"8X\"");
    expect(2, "bench -b 0", "--begin");
    expect(2, "bench -e 4", "--end");
    expect(2, "bench -f 1", "--factor");
    expect(2, "bench -t 2,x", "--members");
    expect(2, "bench -t 0", "--members");
    expect(2, "bench -d f8", "complex128");
    expect(2, "bench -o avg", "bxor");
    expect(2, "bench -o band -d f64", "operator band is not defined for f64");
    expect(2, "bench -a magic", "there are: auto, all, direct");
    expect(2, "bench -a census allreduce -t 2 -e 8", "in any order, which sum on f64 does not");
    expect(2, "bench -a ring,hypercube allreduce -t 2,3 -e 8",
           "--algorithm: allreduce hypercube is for powers of two, not for 3 members");
    expect(2, "bench allreduce --levels 2,2 -t 4,2", "--levels: 2,2 are no groups of 2 members");
    expect(2, "bench --placement sideways", "--placement: 'sideways' is neither a CPU number");
    expect(2, "bench --baseline openmpi,abacus", "\"abacus\" is unknown; there are: none, all, openmpi");
    expect(2, "bench --shared broadcast", "broadcast has no result that members could share");
    expect(2, "bench --shared --baseline openmpi", "--baseline with --shared: \"openmpi\" is unknown");
    expect(2, "bench --shared --in-place", "--in-place");
    expect(2, "bench --calling blocking,later",
           "\"later\" is unknown; there are: blocking, started, persistent, arriving, all_buffers");
    expect(2, "bench --calling arriving -a direct", "such calls cannot name an algorithm");
    expect(2, "bench --calling all_buffers -d f32", "--type f64 and --op sum only");
    expect(2, "bench --calling started --shared", "--shared");
    expect(2, "bench --in-flight 0", "--in-flight: from 1 to");
    expect(2, "bench --seconds 0", "--seconds");
    expect(2, "bench -n 0", "--repetitions");
    expect(2, "bench --rounds 0", "--rounds");
    expect(2, "bench --json /nonexistent/file", "cannot write /nonexistent/file");
    expect(2, "bench --html /none/report.html", "--html: cannot write");
    expect(2, "bench --busy -1", "--busy: -1 is not a number of loops from 0 to 1000");
    expect(2, "bench scan --busy 1", "--busy: measures allreduce");
    expect(2, "bench --busy 1 --json -", "--json excludes --busy");
    expect(2, "bench --busy 1 --in-place", "--in-place excludes --busy");
    expect(2, "guidelines --tolerance -1", "--tolerance");
}

TEST_CASE("a value of another type is named with what it should be") {
    expect(2, "bench allreduce --check foo", "tutti: bench: --check: \"foo\" is not 0 or 1");
    expect(2, "model --alpha x", "tutti: model: --alpha: \"x\" is not a number");
    expect(2, "trace barrier -t x", "tutti: trace: --members: \"x\" is not a whole number");
}

TEST_CASE("the name that is near a mistyped one is proposed") {
    expect(2, "bnch", "no command \"bnch\" (did you mean bench?); there are: info, bench");
    expect(2, "help compar", "(did you mean compare?)");
    expect(2, "bench --algoritm ring", "bench: there is no option --algoritm (did you mean --algorithm?)");
    expect(2, "bench --member=2", "no option --member (did you mean --members?)");
    expect(2, "--versoin", "tutti: there is no option --versoin", "(did you mean --version?)");
    expect(2, "bench alreduce", "\"alreduce\" is no collective (did you mean allreduce?)");
    expect(2, "bench -a rnig", "--algorithm: \"rnig\" is unknown (did you mean ring?); there are: auto, all");
    expect(2, "compare a b c", "compare: \"c\" is one word too many");
}

TEST_CASE("help and version are where people look for them") {
    for (const char* line : {"help", "--help", "-h"}) {
        expect(0, line, "Usage: tutti [OPTIONS] [SUBCOMMAND]", "guidelines");
    }
    CHECK(expect(0, "help bench", "--placement").text == expect(0, "bench --help").text);
    CHECK(expect(0, "-V").text == expect(0, "--version").text);
}

TEST_CASE("a wrong placement is rejected before anything is printed, and a wrong variable is reported") {
    CHECK(expect(2, "bench barrier -t 2 -n 10 -q --placement 0,99999")
              .text.starts_with("tutti: --placement: "));
    for (const std::string name : {"TUTTI_ISA", "TUTTI_TIMEOUT", "TUTTI_WAIT", "TUTTI_ROLL_CALL"}) {
        setenv(name.c_str(), "nonsense", 1);
        const Outcome outcome = expect(0, "bench barrier -t 2 -n 10 -q");
        unsetenv(name.c_str());
        CHECK(outcome.text.starts_with("tutti: " + name + ": \"nonsense\" is ignored: use "));
    }
}

TEST_CASE("a tuning file that is rejected is reported once, and the command goes on") {
    const Place place;
    std::ofstream(place / "damaged.txt") << "tutti-tuning 10\nlibrary 0\n";
    setenv("TUTTI_TUNING", (place / "damaged.txt").c_str(), 1);
    const Outcome outcome = expect(0, "bench allreduce -b 8 -e 8 -t 2,3 --seconds 0.01 -q");
    unsetenv("TUTTI_TUNING");
    CHECK(occurrences(outcome.text, "tutti: TUTTI_TUNING: tuning file " + place / "damaged.txt" +
                                        " is rejected: it is damaged") == 1);
}

namespace {

const std::string small_bench = R"("$0" bench barrier -t 2 -n 10 --rounds 1 --seconds 0.01 )";

/// The output of the line on stdout only.
std::string stdout_of(const std::string& line) {
    return shell(line + " 2>/dev/null").text;
}

} // namespace

TEST_CASE("results go to stdout where the file is -, and text for readers to stderr") {
    const std::string results = stdout_of(small_bench + "--json -");
    CHECK(results.starts_with("{\"schema\""));
    CHECK(results.ends_with("\n]}\n"));
    expect(2, "bench --html - --json -", "only one output can go to stdout");
    const Outcome text = shell(small_bench + "--json - 2>&1 >/dev/null");
    CHECK(text.exit_code == 0);
    CHECK(text.says("wrong elements: 0"));
    CHECK_FALSE(text.says("wrote"));
    CHECK(stdout_of(R"("$0" draw scan -a ring -t 3 --output -)").starts_with("<svg"));
    const Outcome profile = shell(R"("$0" measure -o - --seconds 0.1 2>/dev/null)");
    CHECK((profile.exit_code != 0 || profile.text.starts_with("{\"format\"")));
}

TEST_CASE("what cannot be written to stdout ends with an error") {
    for (const std::string arguments :
         {"--help", "--version", "info", "verify -t 2 -q", "draw scan -a ring -t 3",
          "bench barrier -t 2 -n 10 --rounds 1 --seconds 0.01 -q --json -"}) {
        const Outcome outcome = shell("\"$0\" " + arguments + " >/dev/full");
        CAPTURE(arguments);
        CHECK(outcome.exit_code == 4);
        CHECK_MESSAGE(outcome.says("cannot write"), outcome.text);
    }
}

TEST_CASE("tables of the command fit the columns that there are") {
    for (const char* arguments :
         {"bench allreduce -t 2 -e 8 -n 10 --rounds 1 --seconds 0.01 -q --baseline std_barrier",
          "verify scan -t 2,3 -q", "info --algorithms"}) {
        const Outcome outcome = shell(std::string("COLUMNS=80 \"$0\" ") + arguments);
        CAPTURE(outcome.text);
        CHECK(outcome.exit_code == 0);
        std::istringstream lines(outcome.text);
        for (std::string line; std::getline(lines, line);) {
            CHECK_MESSAGE(line.size() <= 82, line); // a letter or two may take two bytes
        }
    }
}
