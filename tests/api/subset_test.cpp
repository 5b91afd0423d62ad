#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// Some of the ranks of a group, in any order.
std::vector<int> random_ranks(int members, std::mt19937& engine) {
    std::vector<int> ranks(static_cast<std::size_t>(members));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::ranges::shuffle(ranks, engine);
    ranks.resize(engine() % (ranks.size() + 1));
    return ranks;
}

/// Whether a member gets the seat in a new group of `ranks` that it should, and all of them are there.
bool is_seated_well(Member& me, const std::vector<int>& ranks) {
    std::optional<Member> mine = me.subset(ranks);
    const auto place = std::ranges::find(ranks, me.rank());
    if (place == ranks.end()) {
        return !mine;
    }
    if (!mine || mine->size() != static_cast<int>(ranks.size()) || mine->rank() != place - ranks.begin()) {
        return false;
    }
    std::vector<int> found(ranks.size());
    mine->allgather(me.rank(), found);
    std::vector<long> values(1000, me.rank());
    mine->allreduce(values, sum);
    return found == ranks && values.back() == std::accumulate(ranks.begin(), ranks.end(), 0L);
}

/// The exceptions of members each of which makes its own call, on a team that must be whole afterwards.
Outcomes outcomes_of(int members, const std::function<void(Member&)>& call) {
    Team team(members, {.placement = "none"});
    Outcomes outcomes(members);
    thrown_by([&] { team.run([&](Member& me) { outcomes.note(me, [&] { call(me); }); }); });
    test::check_usable(team);
    return outcomes;
}

Thrown alone(const std::vector<int>& ranks) {
    Group group(3);
    Member me = group.join(1);
    return thrown_by([&] { static_cast<void>(me.subset(ranks)); });
}

} // namespace

TEST_CASE("members of a list of ranks become a group in the order of the list") {
    std::mt19937 engine(3);
    for (const int members :
         test::reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
        std::vector<std::vector<int>> lists(test::reduced ? 3 : 10);
        std::ranges::generate(lists, [&] { return random_ranks(members, engine); });
        lists.emplace_back();
        std::vector<int> wrong(static_cast<std::size_t>(members));
        Team team(members, {.placement = "none"});
        team.run([&](Member& me) {
            for (const std::vector<int>& ranks : lists) {
                wrong[static_cast<std::size_t>(me.rank())] += is_seated_well(me, ranks) ? 0 : 1;
                me.barrier();
            }
        });
        CHECK(wrong == std::vector<int>(wrong.size()));
    }
}

TEST_CASE("a subset of a subset") {
    Team team(5, {.placement = "none"});
    std::vector<int> found(2);
    team.run([&](Member& me) {
        if (std::optional<Member> part = me.subset(std::vector<int>{4, 0, 2})) {
            if (std::optional<Member> pair = part->subset(std::vector<int>{2, 0})) {
                std::vector<int> ranks(2);
                pair->allgather(me.rank(), ranks);
                if (pair->rank() == 1) {
                    found = ranks;
                }
            }
        }
    });
    CHECK(found == std::vector<int>{2, 4});
}

TEST_CASE("a list that cannot be right is refused before anybody is told") {
    for (const auto& [ranks, says] : std::vector<std::pair<std::vector<int>, const char*>>{
             {{0, 3}, "subset: `ranks` has 3, must be in 0..2"},
             {{-1}, "subset: `ranks` has -1, must be in 0..2"},
             {{2, 1, 2}, "subset: `ranks` has 2 twice"}}) {
        const Thrown thrown = alone(ranks);
        CHECK(thrown.kind == Thrown::Kind::argument);
        CHECK(mentions(thrown.text, says));
    }
}

TEST_CASE("lists that differ are a mismatch on every member") {
    for (const int members : {2, 3, 5, 8, 16}) {
        for (const std::vector<int>& odd :
             {std::vector<int>{1, 0}, std::vector<int>{0}, std::vector<int>{}}) {
            const Outcomes outcomes = outcomes_of(members, [&](Member& me) {
                static_cast<void>(me.subset(me.rank() == members - 1 ? odd : std::vector<int>{0, 1}));
            });
            CHECK(outcomes.count(Thrown::Kind::mismatch) == members);
            for (int rank = 0; rank < members; ++rank) {
                CHECK(outcomes.of(rank).text == "members 0 and " + std::to_string(members - 1) +
                                                    " call subset with different lists, of 2 and " +
                                                    std::to_string(odd.size()) +
                                                    " ranks: all members must give the same list");
            }
        }
    }
}

TEST_CASE("members that split the group while others take a subset are told") {
    const std::vector<int> ranks{0, 1, 2};
    const Outcomes outcomes = outcomes_of(3, [&](Member& me) {
        static_cast<void>(me.rank() == 1 ? me.split(0, me.rank()) : me.subset(ranks));
    });
    CHECK(outcomes.count(Thrown::Kind::mismatch) == 3);
    CHECK(mentions(outcomes.of(2).text, "member 0 calls subset, but member 1 calls split"));
    const Outcomes of_calls = outcomes_of(3, [&](Member& me) {
        if (me.rank() == 1) {
            me.allreduce(1, sum) == 0 ? void() : void();
        } else {
            static_cast<void>(me.subset(ranks));
        }
    });
    CHECK(of_calls.count(Thrown::Kind::nothing) == 0);
    CHECK(mentions(of_calls.text(Thrown::Kind::mismatch), "split, subset or dup"));
}
