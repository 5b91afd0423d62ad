#include "../test.hpp"
#include "graph/level_tree.hpp"

using namespace tutti::graph;
using Sizes = std::vector<int>;

namespace {

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

} // namespace

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
            CAPTURE(ranks);
            CAPTURE(size);
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
