#include "../../test.hpp"
#include "terminal/numbers.hpp"

using namespace tutti::bench;

TEST_CASE("sizes with binary units") {
    CHECK(parse_bytes("8") == 8);
    CHECK(parse_bytes("8B") == 8);
    CHECK(parse_bytes("64K") == 65536);
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
    CHECK(format_bytes(8) == "8 B");
    CHECK(format_bytes(1000) == "1000 B");
    CHECK(format_bytes(1024) == "1 KiB");
    CHECK(format_bytes(1536) == "1536 B");
    CHECK(format_bytes(std::size_t{64} << 20) == "64 MiB");
}

TEST_CASE("lists and ranges of counts") {
    CHECK(parse_counts("7", 100) == std::vector{7});
    CHECK(parse_counts("8,2,4", 100) == std::vector{2, 4, 8});
    CHECK(parse_counts("1:4,3:5,22", 100) == std::vector{1, 2, 3, 4, 5, 22});
    for (const char* text : {"", "0", "101", "4:1", "1:", ":4", "2,,4", "2,", "a", "1:2:3"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_counts(text, 100), std::invalid_argument);
    }
}

TEST_CASE("sizes grow by the factor up to the last") {
    CHECK(geometric_sizes(8, 64, 2) == std::vector<std::size_t>{8, 16, 32, 64});
    CHECK(geometric_sizes(8, 100, 4) == std::vector<std::size_t>{8, 32});
    CHECK(geometric_sizes(5, 5, 2) == std::vector<std::size_t>{5});
    CHECK(geometric_sizes(2, 6, 1.5) == std::vector<std::size_t>{2, 3, 4});
}
