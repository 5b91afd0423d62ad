#include "terminal/nearest.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace tutti::bench;

TEST_CASE("edits are letters replaced, left out, put in or swapped") {
    CHECK(edits_between("bench", "bench") == 0);
    CHECK(edits_between("bnch", "bench") == 1);
    CHECK(edits_between("benhc", "bench") == 1);
    CHECK(edits_between("bunchy", "bench") == 2);
    CHECK(edits_between("", "bench") == 5);
    CHECK(edits_between("bench", "") == 5);
}

TEST_CASE("the nearest name is meant, unless none is near") {
    constexpr std::array<std::string_view, 4> names{"bench", "draw", "reduce", "reduce_scatter"};
    CHECK(did_you_mean("bnch", names) == " (did you mean bench?)");
    CHECK(did_you_mean("rednce", names) == " (did you mean reduce?)");
    CHECK(did_you_mean("reduce-scater", names) == " (did you mean reduce_scatter?)");
    CHECK(did_you_mean("gossip", names).empty());
    CHECK(did_you_mean("", names).empty());
    CHECK(did_you_mean("x", names).empty());
}
