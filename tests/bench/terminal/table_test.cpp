#include "../../test.hpp"
#include "terminal/table.hpp"

using namespace tutti::bench;

namespace {

Table sample() {
    Table table({{.heading = "name", .rank = 0, .left_aligned = true},
                 {.heading = "time", .rank = 0},
                 {.heading = "p99", .rank = 2},
                 {.heading = "remarks", .rank = 0, .left_aligned = true},
                 {.heading = "floor", .rank = 1}});
    table.add({"scan", "1.5 us", "2 us", "", "1 us"});
    table.add({"allreduce", "20 us", "3 us", "", "1 us"});
    return table;
}

} // namespace

TEST_CASE("columns are as wide as their widest cell, and nobody's columns are not shown") {
    CHECK(sample().text(80) == "name         time   p99  floor\n"
                               "scan       1.5 us  2 us   1 us\n"
                               "allreduce   20 us  3 us   1 us\n");
}

TEST_CASE("columns are left out until lines fit, those that matter least first") {
    CHECK(sample().text(29) == "name         time  floor\n"
                               "scan       1.5 us   1 us\n"
                               "allreduce   20 us   1 us\n"
                               "(left out to fit 29 columns:\np99)\n");
    CHECK(sample().text(20).starts_with("name         time\nscan       1.5 us\nallreduce   20 us\n("));
    CHECK(sample().text(3).starts_with("name         time\n"));
}

TEST_CASE("long cells of a last column that folds go on below") {
    Table table({{.heading = "a", .rank = 0},
                 {.heading = "b", .rank = 1},
                 {.heading = "", .rank = 0, .left_aligned = true, .folds = true}});
    table.add({"1", "2", "all that there is to say about the first"});
    table.add({"3", "4", "little"});
    CHECK(table.text(40) == "a  b\n1  2  all that there is to say about the\n      first\n3  4  little\n");
    CHECK(table.text(32).starts_with(
        "a\n1  all that there is to say\n   about the first\n3  little\n(left out"));
}

TEST_CASE("prose is broken between words, and goes on below its first word") {
    CHECK(wrapped("one two three\nfour\n", 7) == "one two\nthree\nfour\n");
    CHECK(wrapped("  one two three\n", 9) == "  one two\n    three\n");
    CHECK(wrapped("name:   value\n", 20) == "name:   value\n");
    CHECK(wrapped("name:   value\n", 10) == "name:\nvalue\n");
    CHECK(wrapped("incomprehensible\n", 5) == "incomprehensible\n");
    CHECK(wrapped("", 5).empty());
    CHECK(wrapped("allreduce 8 B, 2 members\n", 12) == "allreduce\n8 B,\n2 members\n");
    CHECK(wrapped("a 12345 members\n", 8) == "a 12345\nmembers\n");
}
