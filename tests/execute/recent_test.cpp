#include "../test.hpp"
#include "call/plans.hpp"

using tutti::engine::Recent;

TEST_CASE("what has not been asked for the longest makes room") {
    Recent<int, std::string> recent(100);
    recent.keep(1, "one", 40);
    recent.keep(2, "two", 40);
    REQUIRE(recent.find(1) != nullptr);
    recent.keep(3, "three", 40);
    CHECK(recent.find(2) == nullptr);
    CHECK(*recent.find(1) == "one");
    CHECK(*recent.find(3) == "three");
    CHECK(recent.keep(2, "two again", 20) == "two again");
    CHECK(recent.find(1) != nullptr);
}

TEST_CASE("the last one stays however large it is") {
    Recent<int, std::string> recent(100);
    recent.keep(1, "one", 10);
    CHECK(recent.keep(2, "large", 1000) == "large");
    CHECK(recent.find(1) == nullptr);
    CHECK(*recent.find(2) == "large");
    recent.keep(3, "small", 10);
    CHECK(recent.find(2) == nullptr);
    CHECK(*recent.find(3) == "small");
}
