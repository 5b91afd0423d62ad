#include "../../test.hpp"
#include "support.hpp"

using tutti::test::Outcome;
using tutti::test::tutti_command;

TEST_CASE("guidelines measures what it judges, and the results are right") {
    const Outcome outcome = tutti_command({"guidelines", "-t", "2,3", "-e", "4K", "-f", "64", "-n", "10",
                                           "--seconds", "0.02", "--tolerance", "1000000"});
    CAPTURE(outcome.text);
    CHECK(outcome.says("(2) reduce_scatter <= allreduce"));
    CHECK(outcome.says("0 of   4 violated")); // two sizes, two numbers of members
    CHECK(outcome.says(" 0 wrong elements"));
}
