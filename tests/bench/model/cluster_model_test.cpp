#include "model/cluster_model.hpp"

#include <doctest/doctest.h>

#include <string>

namespace tutti::laboratory {

namespace {

constexpr ClusterModel model{.threads = 4, .lanes = 2, .bytes = 1e6, .alpha_us = 1, .beta_us = 1e-3};

} // namespace

TEST_CASE("without cost inside, a leader pays for the wire only") {
    // 16 nodes: 8 rounds, 2 (1 - 1/16) MB at 1 ns a byte.
    CHECK(leader_us(model, 16) == doctest::Approx(8 + 2000 * 15.0 / 16));
}

TEST_CASE("short vectors go whole, in half the rounds") {
    ClusterModel tiny = model;
    tiny.bytes = 8;
    CHECK(leader_us(tiny, 16) == doctest::Approx(4 + 4 * 0.008));
}

TEST_CASE("flat processes have more ranks and share the network") {
    // 64 ranks: 12 rounds; two threads to a lane.
    CHECK(flat_us(model, 16) == doctest::Approx(12 + 2 * 2000 * 63.0 / 64));
}

TEST_CASE("a pipeline hides the inside of all segments but one") {
    ClusterModel inside = model;
    inside.local_beta_us = 1e-4;
    const double hidden = leader_us(inside, 2) - leader_us(model, 2);
    CHECK(pipelined_us(inside, 2) < leader_us(inside, 2));
    CHECK(pipelined_us(inside, 2) > leader_us(inside, 2) - hidden);
}

TEST_CASE("the table goes to thousands of nodes and says that it is a model") {
    const std::string text = cluster_table(model, 4096);
    CHECK(text.find("A model, nothing here has been measured") == 0);
    CHECK(text.find("   4096     16384") != std::string::npos);
}

} // namespace tutti::laboratory
