// Skips of circulant graphs, dimensions of tori, and trees of levels.

#include "../test.hpp"
#include "graph/graphs.hpp"
#include "graph/level_tree.hpp"

using namespace tutti::graph;
using Sequence = std::vector<int>;
using Dimensions = std::vector<int>;
using Sizes = std::vector<int>;

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

TEST_CASE("skips of p = 31, 32, 33 (Träff et al. 2023, Table II) and p = 22 (Träff 2024)") {
    CHECK(skips(31, Skips::halving) == Sequence{31, 16, 8, 4, 2, 1});
    CHECK(skips(32, Skips::halving) == Sequence{32, 16, 8, 4, 2, 1});
    CHECK(skips(33, Skips::halving) == Sequence{33, 17, 9, 5, 3, 2, 1});
    CHECK(skips(22, Skips::halving) == Sequence{22, 11, 6, 3, 2, 1});
}

TEST_CASE("every sequence descends to 1 and passes its own check") {
    for (const Skips kind : kinds) {
        for (int ranks = 1; ranks <= 1100; ++ranks) {
            const Sequence sequence = skips(ranks, kind);
            INFO(ranks, ", ", to_string(kind));
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

int product(const Dimensions& dimensions) {
    return std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies());
}

TEST_CASE("a mesh is as square as the factors allow, never higher than wide") {
    for (int ranks = 1; ranks <= 600; ++ranks) {
        const Dimensions found = mesh(ranks);
        CAPTURE(ranks);
        REQUIRE(found.size() == 2);
        REQUIRE(product(found) == ranks);
        REQUIRE(found[0] <= found[1]);
        for (int rows = found[0] + 1; rows * rows <= ranks; ++rows) {
            REQUIRE(ranks % rows != 0);
        }
    }
    CHECK_THROWS_AS(mesh(0), std::invalid_argument);
    CHECK_THROWS_AS(ring(0), std::invalid_argument);
}

TEST_CASE("a hypercube has a dimension of two for each bit, and only powers of two have one") {
    CHECK(hypercube(8) == Dimensions{2, 2, 2});
    for (int ranks = -2; ranks <= 130; ++ranks) {
        bool power = false;
        for (int bits = 0; bits <= 7; ++bits) {
            power = power || ranks == 1 << bits;
        }
        CAPTURE(ranks);
        if (ranks >= 1) {
            CHECK(is_power_of_two(ranks) == power);
        }
        if (power) {
            CHECK(product(hypercube(ranks)) == ranks);
        } else {
            CHECK_THROWS_AS(hypercube(ranks), std::invalid_argument);
        }
    }
}

TEST_CASE("strides: the last dimension runs fastest") {
    const Dimensions dimensions{2, 3, 4};
    CHECK(stride(dimensions, 2) == 1);
    CHECK(stride(dimensions, 1) == 4);
    CHECK(stride(dimensions, 0) == 12);
}

/// The runs, cut and cut again: "((0 1) 2)".
std::string bracketed(const Sizes& firsts, std::size_t begin, std::size_t end) {
    if (end - begin == 1) {
        return std::to_string(begin);
    }
    const std::span<const int> part = std::span(firsts).subspan(begin, end - begin + 1);
    const std::size_t middle = begin + static_cast<std::size_t>(cut(part));
    return "(" + bracketed(firsts, begin, middle) + " " + bracketed(firsts, middle, end) + ")";
}

std::string bracketed(const Sizes& firsts) {
    return bracketed(firsts, 0, firsts.size() - 1);
}

TEST_CASE("equal groups: who is where, and which groups divide which") {
    const LevelTree tree = LevelTree::equal(Sizes{2, 8, 4});
    CHECK(tree.ranks() == 64);
    CHECK(tree.last() == 3);
    CHECK(tree.groups(0) == 1);
    CHECK(tree.groups(2) == 16);
    CHECK(tree.group(1, 1) == RankRange{32, 32});
    CHECK(tree.group(2, 9) == RankRange{36, 4});
    CHECK(tree.group_of(2, 39) == 9);
    CHECK(tree.children(1, 1) == RankRange{8, 8});
    CHECK(tree.dimensions() == Sizes{2, 8, 4});
    CHECK(tree.is_aligned());
}

TEST_CASE("levels that divide nothing are none") {
    CHECK(LevelTree::equal(Sizes{1, 4, 1, 2, 1}) == LevelTree::equal(Sizes{4, 2}));
    CHECK(LevelTree::nested(6, {{6}, {4, 2}, {4, 2}, {1, 1, 1, 1, 1, 1}}) == LevelTree::nested(6, {{4, 2}}));
    CHECK(LevelTree::equal(Sizes{}).last() == 0);
    CHECK(LevelTree::equal(Sizes{1, 1}).ranks() == 1);
}

TEST_CASE("uneven groups: some are not divided where others are") {
    const LevelTree tree = LevelTree::nested(7, {{4, 3}, {2, 2, 3}});
    CHECK(tree.last() == 3);
    CHECK(tree.group(1, 1) == RankRange{4, 3});
    CHECK(tree.children(1, 1) == RankRange{2, 1});
    CHECK(tree.children(2, 2) == RankRange{4, 3});
    CHECK(tree.dimensions().empty());
}

TEST_CASE("what is no tree is refused") {
    CHECK_THROWS_AS(LevelTree::equal(Sizes{2, 0}), std::invalid_argument);
    CHECK_THROWS_AS(LevelTree::equal(Sizes{300, 300}), std::invalid_argument);
    CHECK_THROWS_AS(LevelTree::nested(0, {}), std::invalid_argument);
    CHECK_THROWS_AS(LevelTree::nested(4, {{2, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(LevelTree::nested(4, {{2, 3}}), std::invalid_argument);
    CHECK_THROWS_AS(LevelTree::nested(4, {{2, 2}, {1, 3}}), std::invalid_argument);
    CHECK_THROWS_AS(LevelTree::equal(Sizes{4}).split(3), std::invalid_argument);
}

TEST_CASE("groups of many children are split, into equal ones where it can be") {
    CHECK(LevelTree::equal(Sizes{2, 16, 8}).split(8).dimensions() == Sizes{2, 2, 8, 8});
    CHECK(LevelTree::equal(Sizes{12}).split(8).dimensions() == Sizes{3, 4});
    CHECK(LevelTree::equal(Sizes{128}).split(8).dimensions() == Sizes{2, 8, 8});
    CHECK(LevelTree::equal(Sizes{8, 8}).split(8) == LevelTree::equal(Sizes{8, 8}));
    CHECK(LevelTree::equal(Sizes{11}).split(8) == LevelTree::nested(11, {{8, 3}}));
    CHECK(LevelTree::nested(13, {{9, 4}}).split(4) == LevelTree::nested(13, {{9, 4}, {4, 4, 1, 4}}));
    for (int ranks = 1; ranks <= 300; ++ranks) {
        const LevelTree tree = LevelTree::equal(Sizes{ranks}).split(8);
        CAPTURE(ranks);
        for (int level = 0; level < tree.last(); ++level) {
            for (int number = 0; number < tree.groups(level); ++number) {
                REQUIRE(tree.children(level, number).count <= 8);
            }
        }
        REQUIRE(tree.is_aligned());
    }
}

TEST_CASE("aligned trees stay so when they are split") {
    const LevelTree tree = LevelTree::nested(23, {{4, 4, 8, 4, 3}});
    CHECK(tree.is_aligned());
    CHECK(tree.split(4) == LevelTree::nested(23, {{16, 7}, {4, 4, 8, 4, 3}, {4, 4, 4, 4, 4, 3}}));
    CHECK(LevelTree::nested(16, {{2, 2, 4, 1, 1, 2, 1, 1, 1, 1}}).split(2).is_aligned());
}

TEST_CASE("aligned are the groups that the butterfly's tree has as well") {
    CHECK(LevelTree::nested(20, {{16, 4}, {8, 8, 4}}).is_aligned());
    CHECK(LevelTree::nested(20, {{8, 8, 4}}).is_aligned());
    CHECK(LevelTree::nested(12, {{8, 3, 1}}).is_aligned() == false);
    CHECK(LevelTree::nested(11, {{8, 3}}).is_aligned());
    CHECK(LevelTree::nested(12, {{4, 8}}).is_aligned() == false);
    CHECK(LevelTree::equal(Sizes{4, 3}).is_aligned() == false);
    CHECK(LevelTree::equal(Sizes{3, 4}).is_aligned());
}

TEST_CASE("parts of a machine are groups where they have consecutive ranks and divide what is around them") {
    CHECK(LevelTree::of_parts(8, {{0, 0, 0, 0, 1, 1, 1, 1}, {3, 3, 4, 4, 6, 6, 7, 7}}) ==
          LevelTree::equal(Sizes{2, 2, 2}));
    CHECK(LevelTree::of_parts(6, {{5, 5, 5, 2, 2, 2}}) == LevelTree::nested(6, {{3, 3}}));
    // Dealt round robin; all in one; as the level before; in another way than that.
    CHECK(LevelTree::of_parts(4, {{0, 1, 0, 1}, {0, 0, 1, 1}}) == LevelTree::equal(Sizes{2, 2}));
    CHECK(LevelTree::of_parts(4, {{7, 7, 7, 7}, {0, 0, 1, 1}, {2, 2, 3, 3}}) ==
          LevelTree::equal(Sizes{2, 2}));
    CHECK(LevelTree::of_parts(4, {{0, 0, 1, 1}, {0, 0, 0, 1}}) == LevelTree::equal(Sizes{2, 2}));
    CHECK(LevelTree::of_parts(4, {}) == LevelTree::equal(Sizes{4}));
    CHECK(LevelTree::of_parts(1, {{0}}) == LevelTree::equal(Sizes{}));
    CHECK_THROWS_AS(LevelTree::of_parts(4, {{0, 0, 1}}), std::invalid_argument);
}

TEST_CASE("groups that are not aligned are cut into such that are, each within one of them") {
    CHECK(LevelTree::equal(Sizes{2, 3}).aligned() == LevelTree::nested(6, {{2, 1, 1, 2}}));
    CHECK(LevelTree::equal(Sizes{2, 8, 8}).aligned() == LevelTree::equal(Sizes{2, 8, 8}));
    CHECK(LevelTree::equal(Sizes{2, 2, 6}).aligned() ==
          LevelTree::nested(24, {{8, 4, 4, 8}, {4, 2, 2, 4, 4, 2, 2, 4}}));
    CHECK(LevelTree::nested(12, {{8, 3, 1}}).aligned() == LevelTree::nested(12, {{8, 2, 1, 1}}));
    for (int ranks = 1; ranks <= 40; ++ranks) {
        for (int size = 1; size < ranks; ++size) {
            INFO(ranks, ", ", size);
            const LevelTree tree = LevelTree::nested(ranks, {{size, ranks - size}});
            const LevelTree aligned = tree.aligned();
            REQUIRE(aligned.is_aligned());
            REQUIRE((aligned == tree) == tree.is_aligned());
            for (int number = 0; number < aligned.groups(1); ++number) {
                const RankRange group = aligned.group(1, number);
                REQUIRE(tree.group_of(1, group.first) == tree.group_of(1, group.first + group.count - 1));
            }
        }
    }
}

TEST_CASE("a level can be left out") {
    CHECK(LevelTree::equal(Sizes{2, 4, 8}).without(2) == LevelTree::equal(Sizes{2, 32}));
    CHECK(LevelTree::equal(Sizes{2, 4, 8}).without(1) == LevelTree::equal(Sizes{8, 8}));
    CHECK(LevelTree::equal(Sizes{2, 4}).without(1) == LevelTree::equal(Sizes{8}));
}

TEST_CASE("operands are cut after the largest power of two below their number") {
    CHECK(bracketed({0, 1, 2, 3}) == "((0 1) 2)");
    CHECK(bracketed({0, 1, 2, 3, 4, 5, 6, 7}) == "(((0 1) (2 3)) ((4 5) 6))");
    CHECK(bracketed({16, 24, 32, 40}) == "((0 1) 2)");
    CHECK(bracketed({0, 8, 12, 16}) == "(0 (1 2))");
    CHECK(bracketed({0, 3, 6, 9, 12}) == "((0 1) (2 3))");
    CHECK(bracketed({0, 5, 10, 15}) == "((0 1) 2)");
    CHECK(bracketed({0, 9, 10}) == "(0 1)");
    CHECK(bracketed({0, 1, 10}) == "(0 1)");
}

} // namespace
