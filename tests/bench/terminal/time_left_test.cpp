#include "terminal/time_left.hpp"

#include <doctest/doctest.h>

using namespace tutti::bench;

TEST_CASE("steps last as long as they may, and then as long as those of their kind before") {
    TimeLeft left;
    for (int round = 0; round < 3; ++round) {
        left.plan("small", 2);
        left.plan("large", 10);
    }
    CHECK(left.steps() == 6);
    CHECK(left.seconds() == 36);
    left.begin("small", 100);
    CHECK(left.seconds() == 36);
    left.begin("large", 100.5); // 2 small ones of 0.5 s and 3 large ones are left
    CHECK(left.seconds() == 31);
    left.begin("small", 108.5);
    CHECK(left.seconds() == 17);
    left.begin("large", 109.5); // a small one of 1 s, 2 large ones of 8 s
    CHECK(left.seconds() == 17);
}
