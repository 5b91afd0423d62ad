// Collectives over the levels on which a group's members are.

#include "call/plans.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "graph/level_tree.hpp"
#include "group/group_state.hpp"
#include "machine/placement.hpp"
#include "rows.hpp"

#include <tutti/tutti.hpp>

using namespace tutti;
using graph::LevelTree;
using Sizes = std::vector<int>;

namespace {

/// Whether a group makes schedules on this tree.
bool runs_on(detail::GroupState& group, const LevelTree& tree) {
    const algorithm::Algorithm& row = *algorithm::find(Collective::broadcast, "levels-leaders");
    const auto made = group.schedules().synchronised({.row = algorithm::index_of(row)});
    const schedule::Schedule expected = make(row, tree, 0);
    REQUIRE(made->schedule.ranks() == expected.ranks());
    for (int rank = 0; rank < expected.ranks(); ++rank) {
        if (made->schedule.program(rank) != expected.program(rank)) {
            return false;
        }
    }
    return true;
}

/// Members whose levels are known, on any CPUs.
Team team_on(const Sizes& levels, int members) {
    return Team(members, {.placement = "none", .group = {.levels = levels}});
}

int product(const Sizes& sizes) {
    int all = 1;
    for (const int size : sizes) {
        all *= size;
    }
    return all;
}

std::vector<Sizes> trees() {
    if (test::reduced) {
        return {{2, 2}, {2, 3}};
    }
    return {{2, 2}, {2, 4}, {2, 2, 2}, {2, 3}, {3, 3}, {3, 2, 2}, {2, 8, 2}};
}

/// Every row that runs on levels, of small and of longer vectors, on every tree.
template <class T>
void examine(bool exact) {
    const test::Wanted wanted{
        .exact = exact, .defaults = false, .rows = [](const auto& row) { return row.make_on != nullptr; }};
    for (const Sizes& levels : trees()) {
        const int members = product(levels);
        const auto jobs = test::jobs_of(members, std::vector<std::size_t>{0, 1, 4, 31, 1009, 5000}, wanted);
        const auto ranks = test::blocking(members, {.placement = "none", .group = {.levels = levels}});
        CHECK(test::Exam(members, 5000, test::ordinary<T>, sum).run(*ranks, jobs) == "");
    }
}

} // namespace

TEST_CASE("a group runs on the levels that its options name, and its sub-groups on what they have of these") {
    detail::GroupState group(8, engine::config_for(8, {.levels = {2, 4}}), engine::diagnosis_of);
    CHECK(runs_on(group, LevelTree::equal(Sizes{2, 4})));
    CHECK_FALSE(runs_on(group, LevelTree::equal(Sizes{8})));
    detail::GroupState corner(4, engine::config_for_members(group.config(), {0, 1, 4, 5}),
                              engine::diagnosis_of);
    CHECK(runs_on(corner, LevelTree::equal(Sizes{2, 2})));
    detail::GroupState dealt(4, engine::config_for_members(group.config(), {0, 4, 1, 5}),
                             engine::diagnosis_of);
    CHECK(runs_on(dealt, LevelTree::equal(Sizes{4})));
    detail::GroupState uneven(5, engine::config_for_members(group.config(), {2, 3, 4, 5, 6}),
                              engine::diagnosis_of);
    CHECK(runs_on(uneven, LevelTree::nested(5, {{2, 3}})));
}

TEST_CASE("a group of which nothing else is said runs on where its members are") {
    const machine::Machine machine = machine::from_synthetic("pack:2 [numa] l3:2 core:2 pu:1");
    engine::GroupConfig config;
    config.parts = machine::parts_of(machine, machine::place(machine, 8, machine::Placement::compact));
    detail::GroupState group(8, config, engine::diagnosis_of);
    CHECK(runs_on(group, LevelTree::equal(Sizes{2, 2, 2})));
}

TEST_CASE("levels that do not make the members are refused") {
    for (const Sizes& levels : {Sizes{2, 3}, Sizes{2}, Sizes{0}, Sizes{-1, -4}, Sizes{2, 2, 2}}) {
        CHECK_THROWS_WITH_AS(team_on(levels, 4),
                             "GroupOptions::levels: the product of the sizes is not the number of members, 4",
                             ArgumentError);
    }
    CHECK_THROWS_AS(Group(4, {.levels = {3}}), ArgumentError);
    CHECK(Group(4, {.levels = {1, 4, 1}}).size() == 4);
}

TEST_CASE("every algorithm on levels, every tree: integers are exact") {
    examine<int>(true);
}

TEST_CASE("every algorithm on levels, every tree: sums have the bits of the canonical order") {
    examine<double>(false);
}

TEST_CASE("a sub-group of unequal groups gives the bits of any other algorithm") {
    Team team = team_on({2, 4}, 8);
    std::vector<std::string> wrong(8);
    team.run([&](Member& me) {
        std::optional<Member> some = me.subset(std::vector<int>{1, 2, 3, 5, 6, 7});
        if (!some) {
            return;
        }
        std::vector<double> in(1000);
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = 1.0 / static_cast<double>(3 + i + 7 * static_cast<std::size_t>(some->rank()));
        }
        std::vector<double> expected(in.size());
        some->allreduce(in, expected, sum, {.algorithm = "direct"});
        for (const char* const name : {"levels-shares", "levels-leaders"}) {
            for (const std::size_t count : {std::size_t{1}, in.size()}) {
                std::vector<double> out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count));
                some->allreduce(out, sum, {.algorithm = name});
                if (!std::equal(out.begin(), out.end(), expected.begin())) {
                    wrong[static_cast<std::size_t>(me.rank())] += name;
                }
            }
        }
    });
    CHECK(wrong == std::vector<std::string>(8));
}
