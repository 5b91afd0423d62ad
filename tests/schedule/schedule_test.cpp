#include "algorithm/algorithms.hpp"
#include "algorithm/registry.hpp"
#include "schedule/recorder.hpp"
#include "schedule/schedule.hpp"
#include "verify/verify.hpp"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace tutti;
using namespace tutti::schedule;

namespace {

/// The members named in "x3 + x4 + (x5 + x6)".
std::multiset<int> members(const std::string& expression) {
    std::multiset<int> found;
    for (std::size_t at = expression.find('x'); at != std::string::npos; at = expression.find('x', at + 1)) {
        found.insert(std::stoi(expression.substr(at + 1)));
    }
    return found;
}

/// What the first reduction of `round` receives at `rank`, as an expression: the program up to there, and a
/// copy of the operand.
std::string received(const Schedule& schedule, int round, int rank) {
    const Program& full = schedule.programs().front();
    Program program(full.begin(), full.begin() + round);
    const Place operand = full[static_cast<std::size_t>(round)].front().right;
    program.push_back({{{0, Space::output, operand.blocks}, operand, {}, false}});
    const Schedule cut(Collective::allreduce, schedule.ranks(), schedule.blocks(), Symmetry::rotation,
                       {program});
    return verify::expression(cut, rank, 0);
}

std::multiset<int> range(int first, int count, int ranks) {
    std::multiset<int> found;
    for (int i = 0; i < count; ++i) {
        found.insert((first + i) % ranks);
    }
    return found;
}

Schedule one_move(const Move& move) {
    return {Collective::allreduce, 4, 4, Symmetry::rotation, {Program{Round{move}}}};
}

} // namespace

TEST_CASE("the four rounds of the census allreduce of p = 11 (Träff et al. 2023, Fig. 2)") {
    const Schedule census = algorithm::census_allreduce(11);
    REQUIRE(census.rounds() == 4);
    // In rounds 1 and 3 the correction term is 1: the sum without the sender's own input is passed on.
    struct Expected {
        int from;
        int first;
        int count;
    };
    constexpr Expected rounds[] = {{1, 1, 1}, {1, 2, 1}, {3, 3, 3}, {5, 6, 5}};
    for (int round = 0; round < 4; ++round) {
        const Expected& expected = rounds[round];
        for (int rank = 0; rank < 11; ++rank) {
            CAPTURE(round);
            CAPTURE(rank);
            const Program program = census.program(rank);
            CHECK(program[static_cast<std::size_t>(round)].front().right.member ==
                  (rank + expected.from) % 11);
            CHECK(members(received(census, round, rank)) == range(rank + expected.first, expected.count, 11));
        }
    }
    for (int rank = 0; rank < 11; ++rank) {
        CHECK(members(verify::expression(census, rank, 0)) == range(0, 11, 11));
    }
}

TEST_CASE("expanded() writes out every member's program") {
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        const Schedule schedule = row.make(6);
        const Schedule all = expanded(schedule);
        CHECK(all.symmetry() == Symmetry::none);
        REQUIRE(all.programs().size() == 6);
        for (int rank = 0; rank < 6; ++rank) {
            CHECK(all.program(rank) == schedule.program(rank));
            CHECK(all.representative(rank) == static_cast<std::size_t>(rank));
        }
    }
}

TEST_CASE("renaming turns members and, where there are as many, blocks") {
    const Place place{3, Space::scratch0, {2, 2}};
    CHECK(renamed(place, {4, 4, 3}) == Place{2, Space::scratch0, {1, 2}});
    CHECK(renamed(place, {4, 5, 3}) == Place{2, Space::scratch0, {2, 2}});
    CHECK(renamed({every, Space::input, {0, 1}}, {4, 4, 3}) == Place{every, Space::input, {3, 1}});
}

TEST_CASE("schedules refuse what does not exist") {
    const Place to{0, Space::output, {0, 1}};
    const Place from{1, Space::input, {0, 1}};
    CHECK_NOTHROW(one_move({to, from, {}, false}));
    CHECK_THROWS_AS(one_move({to, {4, Space::input, {0, 1}}, {}, false}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({to, {-2, Space::input, {0, 1}}, {}, false}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({{0, Space::output, {4, 1}}, {1, Space::input, {4, 1}}, {}, false}),
                    std::invalid_argument);
    CHECK_THROWS_AS(one_move({{0, Space::output, {0, 0}}, {1, Space::input, {0, 0}}, {}, false}),
                    std::invalid_argument);
    CHECK_THROWS_AS(one_move({to, {1, Space::input, {1, 1}}, {}, false}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({to, from, {2, Space::input, {0, 2}}, true}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({to, {every, Space::input, {0, 1}}, {}, false}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({{every, Space::output, {0, 1}}, from, from, true}), std::invalid_argument);
}

TEST_CASE("schedules need one program for each stored member, all of the same length") {
    CHECK_THROWS_AS(Schedule(Collective::allreduce, 2, 1, Symmetry::none, {Program(1)}),
                    std::invalid_argument);
    CHECK_THROWS_AS(Schedule(Collective::allreduce, 2, 1, Symmetry::none, {Program(1), Program(2)}),
                    std::invalid_argument);
    CHECK_THROWS_AS(Schedule(Collective::gather, 2, 2, Symmetry::none, {Program(1), Program(1)}, 2),
                    std::invalid_argument);
    CHECK_THROWS_AS(Schedule(Collective::allreduce, 0, 1, Symmetry::rotation, {Program(1)}),
                    std::invalid_argument);
}
