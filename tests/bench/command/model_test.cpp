#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

using tutti::test::Outcome;
using tutti::test::tutti_command;

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
