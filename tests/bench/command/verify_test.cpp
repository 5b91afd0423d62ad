#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

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
