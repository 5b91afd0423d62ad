// The destinations of results and text, and the errors when they cannot be written.
#include "../../test.hpp"
#include "mpirun/temporary_directory.hpp"
#include "support.hpp"

using tutti::bench::TemporaryDirectory;
using tutti::test::Outcome;
using tutti::test::shell;

namespace {

const std::string small_bench = R"("$0" bench barrier -t 2 -n 10 --rounds 1 --seconds 0.01 )";

/// The output of the line on stdout only.
std::string stdout_of(const std::string& line) {
    return shell(line + " 2>/dev/null").text;
}

} // namespace

TEST_CASE("results go to stdout where the file is -, and text for readers to stderr") {
    const std::string csv = stdout_of(small_bench + "--csv -");
    CHECK(csv.starts_with("provider,collective,algorithm"));
    CHECK(csv.find("summary") == std::string::npos);
    const std::string json = stdout_of(small_bench + "--json -");
    CHECK(json.starts_with("{\"schema\""));
    CHECK(json.ends_with("\n]}\n"));
    const Outcome text = shell(small_bench + "--csv - 2>&1 >/dev/null");
    CHECK(text.exit_code == 0);
    CHECK(text.says("summary"));
    CHECK(text.says("p99"));
    CHECK_FALSE(text.says("wrote"));
}

TEST_CASE("every command that writes a file writes it to stdout") {
    CHECK(stdout_of(R"("$0" draw scan -a ring -t 3 --output -)").starts_with("<svg"));
    const Outcome profile = shell(R"("$0" measure -o - --seconds 0.1 2>/dev/null)");
    CHECK((profile.exit_code != 0 || profile.text.starts_with("{\"format\"")));
    const TemporaryDirectory directory;
    const Outcome none = shell("cd '" + directory.path().string() + "' && " + small_bench +
                               "--csv - --quiet >/dev/null && test ! -e ./-");
    CHECK(none.exit_code == 0);
}

TEST_CASE("only one output can be stdout") {
    for (const std::string& line :
         {small_bench + "--csv - --json -", std::string(R"("$0" measure -o - --matrix - --seconds 0.1)")}) {
        const Outcome outcome = shell(line);
        CHECK(outcome.exit_code == 2);
        CHECK_MESSAGE(outcome.says("only one output can go to stdout"), outcome.text);
    }
}

TEST_CASE("what cannot be written to stdout ends with an error") {
    for (const std::string arguments :
         {"--help", "--version", "info", "info --algorithms", "info --why scan", "model", "verify -t 2 -q",
          "draw scan -a ring -t 3", "bench barrier -t 2 -n 10 --rounds 1 --seconds 0.01 -q",
          "bench barrier -t 2 -n 10 --rounds 1 --seconds 0.01 -q --csv -",
          "guidelines -t 2 -e 8 -n 10 --seconds 0.01 --tolerance 1000000 -q"}) {
        const Outcome outcome = shell("\"$0\" " + arguments + " >/dev/full");
        CAPTURE(arguments);
        CHECK(outcome.exit_code == 4);
        CHECK_MESSAGE(outcome.says("cannot write"), outcome.text);
    }
}
