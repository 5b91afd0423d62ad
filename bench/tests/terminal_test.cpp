// Numbers and tables in text, and the programs that the command starts.
#include "bench/tests/command.hpp"
#include "terminal/text.hpp"

using namespace tutti::bench;

TEST_CASE("sizes with binary units") {
    CHECK(parse_bytes("8B") == 8);
    CHECK(parse_bytes("64k") == 65536);
    CHECK(parse_bytes("64KiB") == 65536);
    CHECK(parse_bytes("3M") == 3145728);
    CHECK(parse_bytes("2GiB") == 2147483648U);
}

TEST_CASE("what is no size is refused") {
    for (const char* text :
         {"", "K", "-8", "8X", "8KB2", "1.5M", "8 K", "99999999999G", "18446744073709551616"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_bytes(text), std::invalid_argument);
    }
}

TEST_CASE("sizes are shown in the largest unit that is exact") {
    CHECK(format_bytes(0) == "0 B");
    CHECK(format_bytes(1000) == "1000 B");
    CHECK(format_bytes(1536) == "1536 B");
    CHECK(format_bytes(std::size_t{64} << 20) == "64 MiB");
}

TEST_CASE("lists and ranges of counts") {
    CHECK(parse_counts("8,2,4", 100) == std::vector{2, 4, 8});
    CHECK(parse_counts("1:4,3:5,22", 100) == std::vector{1, 2, 3, 4, 5, 22});
    for (const char* text : {"", "0", "101", "4:1", "1:", ":4", "2,,4", "2,", "a", "1:2:3"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_counts(text, 100), std::invalid_argument);
    }
}

TEST_CASE("sizes grow by the factor up to the last") {
    CHECK(geometric_sizes(8, 100, 4) == std::vector<std::size_t>{8, 32});
    CHECK(geometric_sizes(5, 5, 2) == std::vector<std::size_t>{5});
    CHECK(geometric_sizes(2, 6, 1.5) == std::vector<std::size_t>{2, 3, 4});
}

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

TEST_CASE("a child that fails, cannot be started or hangs is reported") {
    const auto ignore = [](const std::string&) {};
    CHECK(run_child({"true"}, 10, ignore).failure.empty());
    CHECK(run_child({"sh", "-c", "exit 3"}, 10, ignore).exit_code == 3);
    CHECK(run_child({"sh", "-c", "kill -9 $$"}, 10, ignore).failure == "sh was killed by signal 9");
    CHECK_FALSE(run_child({"/nonexistent/program"}, 10, ignore).failure.empty());
    CHECK(run_child({"sleep", "1000"}, 0.05, ignore).failure == "sleep made no progress for 0.05 s");
    std::vector<std::string> lines;
    run_child({"sh", "-c", "echo one; echo two >&2; printf three"}, 10,
              [&](const std::string& line) { lines.push_back(line); });
    CHECK(lines == std::vector<std::string>{"one", "two", "three"});
}
