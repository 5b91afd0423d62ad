#include "../test.hpp"
#include "algorithm/split_to_combine.hpp"

using namespace tutti;
using graph::LevelTree;
using Sizes = std::vector<int>;

namespace {

Sizes sizes(const LevelTree& tree, int level) {
    Sizes found;
    for (int number = 0; number < tree.groups(level); ++number) {
        found.push_back(tree.group(level, number).count);
    }
    return found;
}

} // namespace

TEST_CASE("equal groups of at most eight children stay as they are, larger ones are split") {
    const LevelTree small = LevelTree::equal(Sizes{2, 8, 8});
    CHECK(algorithm::split_to_combine(small) == small);
    CHECK(algorithm::split_to_combine(LevelTree::equal(Sizes{2, 64})) == small);
}

TEST_CASE("smaller groups come together before larger ones are combined") {
    const LevelTree tree = algorithm::split_to_combine(LevelTree::nested(12, {{4, 2, 2, 4}}));
    REQUIRE(tree.last() == 3);
    CHECK(sizes(tree, 1) == Sizes{4, 4, 4});
    CHECK(sizes(tree, 2) == Sizes{4, 2, 2, 4});
}

TEST_CASE("groups that make no equal parts are cut in two") {
    // (x_0 .. x_2) op x_3, where four operands alone are (x_0 op x_1) op (x_2 op x_3).
    const LevelTree tree = algorithm::split_to_combine(LevelTree::nested(9, {{2, 3, 3, 1}}));
    CHECK(sizes(tree, 1) == Sizes{8, 1});
    CHECK(sizes(tree, 2) == Sizes{2, 3, 3, 1});
}
