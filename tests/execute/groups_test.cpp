// Groups: the levels on which their members are, what other threads read of them, and who is woken.

#include "call/plans.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "diagnose/roll_call.hpp"
#include "graph/level_tree.hpp"
#include "group/group_state.hpp"
#include "machine/placement.hpp"
#include "record/recorder.hpp"
#include "rows.hpp"

#include <unistd.h>

#include <csignal>

using namespace std::chrono_literals;
using graph::LevelTree;
using library::RollCallListed;
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

std::vector<Sizes> trees() {
    if (reduced) {
        return {{2, 2}, {2, 3}};
    }
    return {{2, 2}, {2, 4}, {2, 2, 2}, {2, 3}, {3, 3}, {3, 2, 2}, {2, 8, 2}};
}

/// Whether that comes about within ten seconds.
template <class Holds>
bool comes(Holds holds) {
    for (int i = 0; i < 10'000 && !holds(); ++i) {
        std::this_thread::sleep_for(1ms);
    }
    return holds();
}

} // namespace

TEST_CASE("a group runs on the levels that its options name, and its sub-groups on what they have of these") {
    detail::GroupState group(8, library::config_for(8, {.levels = {2, 4}}), library::diagnosis_of);
    CHECK(runs_on(group, LevelTree::equal(Sizes{2, 4})));
    CHECK_FALSE(runs_on(group, LevelTree::equal(Sizes{8})));
    detail::GroupState corner(4, library::config_for_members(group.config(), {0, 1, 4, 5}),
                              library::diagnosis_of);
    CHECK(runs_on(corner, LevelTree::equal(Sizes{2, 2})));
    detail::GroupState dealt(4, library::config_for_members(group.config(), {0, 4, 1, 5}),
                             library::diagnosis_of);
    CHECK(runs_on(dealt, LevelTree::equal(Sizes{4})));
    detail::GroupState uneven(5, library::config_for_members(group.config(), {2, 3, 4, 5, 6}),
                              library::diagnosis_of);
    CHECK(runs_on(uneven, LevelTree::nested(5, {{2, 3}})));
}

TEST_CASE("a group of which nothing else is said runs on where its members are") {
    const machine::Machine machine = machine::from_synthetic("pack:2 [numa] l3:2 core:2 pu:1");
    library::GroupConfig config;
    config.parts = machine::parts_of(machine, machine::place(machine, 8, machine::Placement::compact));
    detail::GroupState group(8, config, library::diagnosis_of);
    CHECK(runs_on(group, LevelTree::equal(Sizes{2, 2, 2})));
}

TEST_CASE("levels that do not make the members are refused") {
    for (const auto& [levels, sizes] :
         std::initializer_list<std::pair<Sizes, std::string>>{{{2, 3}, "{2, 3}"},
                                                              {{2}, "{2}"},
                                                              {{0}, "{0}"},
                                                              {{-1, -4}, "{-1, -4}"},
                                                              {{2, 2, 2}, "{2, 2, 2}"}}) {
        const std::string text =
            "GroupOptions::levels: the product of the sizes " + sizes + " is not the number of members, 4";
        CHECK_THROWS_WITH_AS(Team(4, {.placement = Placement::none, .group = {.levels = levels}}),
                             text.c_str(), ArgumentError);
    }
    CHECK_THROWS_AS(Group(4, {.levels = {3}}), ArgumentError);
    CHECK(Group(4, {.levels = {1, 4, 1}}).size() == 4);
}

TEST_CASE("every algorithm on levels, every tree: sums have the bits of the canonical order") {
    const Wanted wanted{
        .exact = false, .defaults = false, .rows = [](const auto& row) { return row.make_on != nullptr; }};
    for (const Sizes& levels : trees()) {
        const int members = std::accumulate(levels.begin(), levels.end(), 1, std::multiplies());
        const auto jobs = jobs_of(members, std::vector<std::size_t>{0, 1, 4, 31, 1009, 5000}, wanted);
        const auto ranks = blocking(members, {.placement = Placement::none, .group = {.levels = levels}});
        CHECK(Exam(members, 5000, ordinary<double>, sum).run(*ranks, jobs) == "");
    }
}

TEST_CASE("a roll call may be the last to hold another group, and end it") {
    const Environment signal("TUTTI_ROLL_CALL", "USR1");
    auto other = std::make_optional<RollCallListed>([](RollCallFormat) { return std::string(); });
    std::atomic<bool> is_ended{false};
    // As a group that locks a pointer to the one that it was made of.
    const RollCallListed listed([&](RollCallFormat) {
        other.reset();
        is_ended = true;
        return std::string("a roll call that ends another group\n");
    });
    kill(getpid(), SIGUSR1);
    REQUIRE(comes([&] { return is_ended.load(); }));
}

TEST_CASE("the end of a group waits for its roll call, and not for those of others") {
    const Environment signal("TUTTI_ROLL_CALL", "USR1");
    std::atomic<int> called{0};
    std::atomic<bool> goes_on{false};
    std::optional<RollCallListed> before([](RollCallFormat) { return std::string(); });
    std::optional<RollCallListed> slow([&](RollCallFormat) {
        called = 1;
        while (!goes_on) {
            std::this_thread::sleep_for(1ms);
        }
        called = 2;
        return std::string("a roll call that takes long\n");
    });
    std::optional<RollCallListed> after([](RollCallFormat) { return std::string("none may be left\n"); });
    kill(getpid(), SIGUSR1);
    REQUIRE(comes([&] { return called == 1; }));
    before.reset();
    after.reset();
    std::optional<RollCallListed> made([](RollCallFormat) { return std::string("one made meanwhile\n"); });
    std::thread lets_go([&] {
        std::this_thread::sleep_for(20ms);
        goes_on = true;
    });
    slow.reset();
    CHECK(called == 2);
    lets_go.join();
}

TEST_CASE("a trace that is written while groups are made has all members of each") {
    const Environment file("TUTTI_TRACE", "/dev/null");
    std::atomic<bool> ends{false};
    std::thread writes([&] {
        while (!ends) {
            library::write_trace_file();
        }
    });
    for (int round = 0; round < (reduced ? 4 : 20); ++round) {
        // Long enough in the making that the other thread comes across it.
        const auto group =
            std::make_shared<detail::GroupState>(2000, library::config_for(2000, {}), library::diagnosis_of);
        CHECK(group->size() == 2000);
    }
    ends = true;
    writes.join();
}

TEST_CASE("a member that enters a call in which it only receives wakes who waits for that") {
    const auto state = std::make_shared<detail::GroupState>(2, library::config_for(2, {.wait = Wait::sleep}),
                                                            library::diagnosis_of);
    mailbox::Board& board = state->memory().board(1);
    const auto has_entered = [&] { return board.progress.observe() != 0; };
    // Longer than anything here takes: who has not been woken shows it.
    constexpr std::chrono::seconds bound{60};
    std::atomic<bool> was_woken{false};
    std::thread sleeper([&] {
        const auto start = std::chrono::steady_clock::now();
        while (!has_entered()) {
            board.event.sleep(has_entered, std::chrono::nanoseconds(bound).count());
        }
        was_woken = std::chrono::steady_clock::now() - start < bound;
    });
    // Time to fall asleep; who has not by then notices by itself, and nothing is shown.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::thread receiver([&] {
        Member me(state, state->seat(1));
        std::vector<int> value(1);
        me.broadcast(value, 0);
    });
    sleeper.join();
    Member me(state, state->seat(0));
    std::vector<int> value(1);
    me.broadcast(value, 0);
    receiver.join();
    CHECK(was_woken);
}
