#include "../../test.hpp"
#include "support.hpp"

using tutti::test::Outcome;
using tutti::test::tutti_command;

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
    CHECK_MESSAGE(
        text.find(names.text) != std::string::npos,
        "docs/algorithms.md does not have what `tutti info --algorithms --markdown --names` prints");
}

TEST_CASE("info --why names the option that is wrong, and the size that it answers for") {
    const auto refused = [](const std::string& option, const std::string& value) {
        const Outcome outcome = tutti_command({"info", "--why", "allreduce", option, value});
        CHECK(outcome.exit_code == 2);
        return outcome.text;
    };
    CHECK(refused("-o", "foo").starts_with("tutti: --op: \"foo\" is no operator"));
    CHECK(refused("-d", "foo").starts_with("tutti: --type: \"foo\" is no element type"));
    CHECK(refused("-b", "1.5M").starts_with("tutti: --bytes: "));
    CHECK(refused("--placement", "foo").starts_with("tutti: --placement: 'foo'"));
    CHECK(tutti_command({"info", "--why", "allreduce", "-b", "3"}).says("8 B, since 3 B is not a vector of"));
    CHECK(tutti_command({"info", "--why", "allreduce", "-b", "0"}).says("8 B, since 0 B is not a vector of"));
    CHECK(tutti_command({"info", "--why", "barrier", "-t", "1"}).says("among 1 member on "));
}
