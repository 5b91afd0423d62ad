#include "../test.hpp"
#include "graph/circulant.hpp"

using namespace tutti::graph;
using Sequence = std::vector<int>;

namespace {

constexpr Skips kinds[] = {Skips::halving, Skips::power_of_two, Skips::fully_connected, Skips::square_root};

/// The error of checked_skips for a sequence: empty when it is accepted.
std::string refusal(int ranks, const Sequence& sequence) {
    try {
        return checked_skips(ranks, sequence) == sequence ? "" : "returned another sequence";
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
}

} // namespace

TEST_CASE("skips of p = 31, 32, 33 (Träff et al. 2023, Table II) and p = 22 (Träff 2024)") {
    CHECK(skips(31, Skips::halving) == Sequence{31, 16, 8, 4, 2, 1});
    CHECK(skips(32, Skips::halving) == Sequence{32, 16, 8, 4, 2, 1});
    CHECK(skips(33, Skips::halving) == Sequence{33, 17, 9, 5, 3, 2, 1});
    CHECK(skips(22, Skips::halving) == Sequence{22, 11, 6, 3, 2, 1});
}

TEST_CASE("one member has no neighbours") {
    for (const Skips kind : kinds) {
        CHECK(skips(1, kind) == Sequence{1});
    }
    CHECK(rounds_log2(1) == 0);
}

TEST_CASE("every sequence descends to 1 and passes its own check") {
    for (const Skips kind : kinds) {
        for (int ranks = 1; ranks <= 1100; ++ranks) {
            const Sequence sequence = skips(ranks, kind);
            CAPTURE(ranks);
            CAPTURE(to_string(kind));
            REQUIRE(refusal(ranks, sequence).empty());
        }
    }
}

TEST_CASE("halving and power-of-two skips need ceil(log2 p) rounds") {
    for (int ranks = 1; ranks <= 1100; ++ranks) {
        int rounds = 0;
        while ((1 << rounds) < ranks) {
            ++rounds;
        }
        CAPTURE(ranks);
        REQUIRE(rounds_log2(ranks) == rounds);
        REQUIRE(skips(ranks, Skips::halving).size() == static_cast<std::size_t>(rounds) + 1);
        REQUIRE(skips(ranks, Skips::power_of_two).size() == static_cast<std::size_t>(rounds) + 1);
    }
}

TEST_CASE("power-of-two skips are powers of two after the first") {
    for (int ranks = 2; ranks <= 300; ++ranks) {
        const Sequence sequence = skips(ranks, Skips::power_of_two);
        for (std::size_t k = 1; k < sequence.size(); ++k) {
            REQUIRE(std::has_single_bit(static_cast<unsigned>(sequence[k])));
        }
    }
    CHECK(skips(22, Skips::power_of_two) == Sequence{22, 16, 8, 4, 2, 1});
    CHECK(skips(16, Skips::power_of_two) == Sequence{16, 8, 4, 2, 1});
}

TEST_CASE("fully connected skips are all of them") {
    CHECK(skips(5, Skips::fully_connected) == Sequence{5, 4, 3, 2, 1});
}

TEST_CASE("square-root skips step by ceil(sqrt p), then halve") {
    CHECK(skips(100, Skips::square_root) == Sequence{100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 3, 2, 1});
    for (int ranks = 2; ranks <= 1100; ++ranks) {
        const Sequence sequence = skips(ranks, Skips::square_root);
        int root = 0;
        while (root * root < ranks) {
            ++root;
        }
        CAPTURE(ranks);
        for (std::size_t k = 0; k + 1 < sequence.size(); ++k) {
            REQUIRE(sequence[k] - sequence[k + 1] <= root);
        }
        REQUIRE(static_cast<int>(sequence.size()) - 1 <= root + rounds_log2(root) + 1);
    }
}

TEST_CASE("a caller's own skips are checked") {
    CHECK(refusal(7, {7, 4, 2, 1}).empty());
    CHECK(refusal(7, {7, 6, 5, 3, 2, 1}).empty());
    CHECK(refusal(1, {1}).empty());

    // Every i < 7 is a sum of different ones of 3, 2, 1, yet block 3 would have to be passed on as it
    // arrives.
    CHECK(refusal(7, {7, 3, 2, 1}) == "skips: 3 cannot follow 7, must be in 4..6");
    CHECK(refusal(8, {8, 4, 1}) == "skips: 1 cannot follow 4, must be in 2..3");
    CHECK(refusal(8, {8, 8, 4, 2, 1}) == "skips: 8 cannot follow 8, must be in 4..7");
    CHECK(refusal(8, {8, 4, 2}) == "skips: the sequence ends with 2, must end with 1");
    CHECK(refusal(8, {7, 4, 2, 1}) == "skips: the sequence must start with the number of ranks, 8");
    CHECK(refusal(8, {}) == "skips: the sequence must start with the number of ranks, 8");
    CHECK(refusal(0, {0}) == "skips: ranks is 0, must be at least 1");
    CHECK(refusal(2, {2, 1, 0}) == "skips: the sequence goes on after 1, must end there");
}

TEST_CASE("ranks below 1 are refused") {
    CHECK_THROWS_AS(skips(0, Skips::halving), std::invalid_argument);
    CHECK_THROWS_AS(rounds_log2(-3), std::invalid_argument);
}
