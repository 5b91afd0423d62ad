#include "../../test.hpp"
#include "support.hpp"

using tutti::test::Outcome;
using tutti::test::tutti_command;

TEST_CASE("the algorithms verify, and each is held against its closed forms") {
    const Outcome outcome = tutti_command({"verify", "-t", "1:16"});
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

TEST_CASE("where there is nothing to prove, nothing holds") {
    const Outcome none = tutti_command({"verify", "allreduce", "-a", "hypercube", "-t", "3"});
    CHECK(none.exit_code == 2);
    CHECK(none.says("--members: hypercube is for powers of two, not for 3: there is nothing to prove"));
    const Outcome some = tutti_command({"verify", "allreduce", "-t", "3"});
    CHECK(some.exit_code == 0);
    const std::size_t row = some.text.find("allreduce   hypercube");
    const std::string shown = some.text.substr(row, some.text.find('\n', row) - row);
    CHECK_MESSAGE(shown.find(" 0       0  - ") != std::string::npos, shown);
    CHECK(some.says("within: counts are at most what the closed forms say"));
    CHECK(!some.says("one root was taken"));
}

TEST_CASE("one member is one") {
    CHECK(tutti_command({"verify", "barrier", "-t", "1"}).says("schedules for 1 member, and"));
    CHECK(tutti_command({"model", "barrier", "-t", "1"}).says("\n1 member, m = "));
}

TEST_CASE("roots and forms that are left out are said to be") {
    const Outcome one = tutti_command({"verify", "broadcast", "-a", "tree", "-t", "129"});
    CHECK(one.exit_code == 0);
    CHECK(one.says("of more than 128 members one root was taken, and one form"));
}
