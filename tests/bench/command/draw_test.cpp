#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

using tutti::test::Outcome;
using tutti::test::tutti_command;

TEST_CASE("draw writes a drawing of a schedule and the expression of a result") {
    const Outcome svg = tutti_command({"draw", "allgather", "-a", "circulant", "-t", "11"});
    CHECK(svg.exit_code == 0);
    CHECK(svg.says("<svg"));
    const Outcome dot =
        tutti_command({"draw", "allgather", "-a", "circulant", "-t", "11", "--format", "dot"});
    CHECK(dot.exit_code == 0);
    CHECK(dot.says("digraph"));
    const Outcome expression =
        tutti_command({"draw", "reduce_scatter", "-a", "circulant", "-t", "22", "--expression", "21"});
    CHECK(expression.exit_code == 0);
    CHECK(expression.says("x21 + x10 + (x15 + x4)"));
    CHECK(tutti_command({"draw", "allgather", "-a", "hypercube", "-t", "11"}).exit_code == 2);
}
