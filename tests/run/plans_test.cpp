// The plans of many members, each in one interleaving of operations back to back.

#include "../test.hpp"
#include "interleaving.hpp"

namespace tutti::test {

namespace {

using algorithm::Algorithm;
using graph::LevelTree;
using Sizes = std::vector<int>;

constexpr int most_ranks = reduced ? 12 : 32;

/// Every root or distance where there are few, else the ends and the middle.
std::set<int> roots(const Algorithm& row, int ranks) {
    std::set<int> some{0};
    for (int root = 0; has_root(row) && root < ranks; ++root) {
        if (ranks <= 8 || root == 1 || root == ranks / 2 || root == ranks - 1) {
            some.insert(root);
        }
    }
    return some;
}

/// Three operations, so that slots are used again. Returns the number of calls.
long check(const Algorithm& row, const schedule::Schedule& made) {
    Interleaving interleaving(made.ranks(), 2);
    Random random(static_cast<std::uint64_t>(made.ranks()));
    const Calls calls = calls_of(row, made);
    for (const auto& call : calls) {
        Program program = Program::repeated(*call, 3);
        const Outcome outcome = interleaving.run(program, random);
        REQUIRE_MESSAGE(outcome.what == Outcome::What::fine, Interleaving::text(program, outcome),
                        program.name());
    }
    return std::ssize(calls);
}

} // namespace

TEST_CASE("the plans of every algorithm, form and number of ranks do what the collective says") {
    long calls = 0;
    for (const Algorithm& row : algorithm::registry()) {
        for (int ranks = 1; ranks <= most_ranks; ++ranks) {
            for (const int root : takes(row, ranks) ? roots(row, ranks) : std::set<int>{}) {
                INFO(ranks, " ranks");
                calls += check(row, row.make(ranks, root));
            }
        }
    }
    CHECK(calls >= 3 * most_ranks * std::ssize(algorithm::registry()));
}

TEST_CASE("plans of rows on any tree do what the collective says, and have slots for what is carried") {
    const LevelTree trees[] = {
        LevelTree::equal(Sizes{2, 2, 2, 2}),
        LevelTree::equal(Sizes{2, 3}),
        LevelTree::equal(Sizes{8, 2}),
        LevelTree::nested(13, {{9, 4}, {5, 4, 1, 3}}),
        LevelTree::nested(20, {{8, 4, 4, 4}, {4, 2, 2, 4, 4, 4}}),
        LevelTree::nested(11, {{1, 1, 8, 1}, {1, 1, 4, 4, 1}}),
        LevelTree::nested(12, {{1, 11}, {1, 1, 10}, {1, 1, 1, 9}, {1, 1, 1, 1, 8}, {1, 1, 1, 1, 1, 7}})};
    long calls = 0;
    for (const LevelTree& tree : trees) {
        for (const Algorithm& row : algorithm::registry()) {
            if (row.make_on != nullptr && takes(row, tree.ranks())) {
                INFO(tree.ranks(), " ranks on a tree");
                calls += check(row, make(row, tree, has_root(row) ? tree.ranks() / 2 : 0));
            }
        }
    }
    CHECK(calls > 300);
}

} // namespace tutti::test
