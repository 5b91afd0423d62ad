// Sub-groups: by colors and keys, of lists of ranks, and copies.

#include "support.hpp"

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

/// The ranks in `world` of the members of `me`, in the order of their ranks there.
std::vector<int> world_ranks(Member& me, const Member& world) {
    std::vector<int> ranks(static_cast<std::size_t>(me.size()));
    me.allgather(world.rank(), ranks);
    return ranks;
}

} // namespace

TEST_CASE("rows and columns of a grid") {
    constexpr int rows = 3;
    constexpr int columns = 4;
    check_members(rows * columns, [](Member& me) {
        const int my_row = me.rank() / columns;
        const int my_column = me.rank() % columns;
        std::optional<Member> row = me.split(my_row, my_column);
        std::optional<Member> column = me.split(my_column, my_row);
        bool good = row && row->size() == columns && row->rank() == my_column;
        good = good && column && column->size() == rows && column->rank() == my_row;
        std::vector<int> in_row(columns);
        std::iota(in_row.begin(), in_row.end(), my_row * columns);
        good = good && world_ranks(*row, me) == in_row;
        // Sums of rows, summed over each column, are sums of everything.
        std::vector<long> values(1000, me.rank());
        row->allreduce(values, sum);
        column->allreduce(values, sum);
        return good && values == std::vector<long>(1000, 66);
    });
}

TEST_CASE("keys order the ranks, and equal keys leave them in order") {
    check_members(5, [](Member& me) {
        std::optional<Member> reversed = me.split(3, -me.rank());
        std::optional<Member> same = me.split(0, 7);
        std::optional<Member> odd_first = me.split(1, me.rank() % 2 == 0 ? 1 : -1);
        return reversed->rank() == 4 - me.rank() && same->rank() == me.rank() &&
               world_ranks(*reversed, me) == std::vector<int>{4, 3, 2, 1, 0} &&
               world_ranks(*odd_first, me) == std::vector<int>{1, 3, 0, 2, 4};
    });
}

TEST_CASE("a member without a color is in no group") {
    check_members(5, [](Member& me) {
        const bool is_even = me.rank() % 2 == 0;
        std::optional<Member> even = me.split(is_even ? std::optional(0) : std::nullopt, 0);
        const bool expected = is_even ? even && world_ranks(*even, me) == std::vector<int>{0, 2, 4} : !even;
        return expected && !me.split(std::nullopt, 0);
    });
    check_members(1, [](Member& me) { return me.split(0, 0)->size() == 1 && !me.split(std::nullopt, 0); });
}

TEST_CASE("a negative color is rejected, and the others are released") {
    const std::string says = "split: `color` is -7, must be at least 0; pass std::nullopt to be in no group";
    const Outcomes each = check_fails(3, Kind::argument, {says}, [](Member& me) {
        static_cast<void>(me.split(me.rank() == 1 ? -7 : 0, 0));
    });
    CHECK(each.count(Kind::aborted) == 2);
}

TEST_CASE("a sub-group needs neither its parent nor another sub-group") {
    const auto on_two_threads = [](const auto& part) {
        const std::jthread other([&] { part(1); });
        part(0);
    };
    auto group = std::make_unique<Group>(2);
    std::vector<std::optional<Member>> twins(2);
    on_two_threads([&](int rank) {
        Member me = group->join(rank);
        twins[static_cast<std::size_t>(rank)].emplace(me.dup());
    });
    group.reset();
    std::vector<int> sums(2);
    on_two_threads([&](std::size_t rank) { twins[rank]->allreduce(5, sums[rank], sum); });
    CHECK(sums == std::vector<int>{10, 10});
}

TEST_CASE("a member that duplicates the group while others split it is told, whatever their colors") {
    Team team(3, {.placement = Placement::none});
    for (const std::optional<int> color : {std::optional(1), std::optional(0), std::optional<int>()}) {
        check_fails(team, Kind::mismatch, {"member 0 calls dup, but member 1 calls split"},
                    [&](Member& me) { static_cast<void>(me.rank() == 0 ? me.dup() : me.split(color, 0)); });
    }
}

TEST_CASE("members of a list of ranks become a group in the order of the list") {
    std::mt19937 engine(3);
    for (const int members :
         reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
        std::vector<std::vector<int>> lists(reduced ? 3 : 10);
        std::ranges::generate(lists, [&] { return random_ranks(members, engine); });
        lists.emplace_back();
        check_members(members, [&](Member& me) {
            bool right = true;
            for (const std::vector<int>& ranks : lists) {
                right = is_seated_well(me, ranks) && right;
                me.barrier();
            }
            return right;
        });
    }
}

TEST_CASE("a subset of a subset") {
    std::vector<int> found(2);
    run_members(5, [&](Member& me) {
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
        check_rejected(3, says, [&list = ranks](Member& me) { static_cast<void>(me.subset(list)); });
    }
}

TEST_CASE("lists that differ are a mismatch on every member") {
    for (const int members : {2, 3, 5, 8, 16}) {
        for (const std::vector<int>& odd :
             {std::vector<int>{1, 0}, std::vector<int>{0}, std::vector<int>{}}) {
            const Outcomes outcomes = check_fails(members, Kind::mismatch, {}, [&](Member& me) {
                static_cast<void>(me.subset(me.rank() == members - 1 ? odd : std::vector<int>{0, 1}));
            });
            CHECK(outcomes.count(Kind::mismatch) == members);
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
    const Outcomes outcomes = check_fails(3, Kind::mismatch, {}, [&](Member& me) {
        static_cast<void>(me.rank() == 1 ? me.split(0, me.rank()) : me.subset(ranks));
    });
    CHECK(outcomes.count(Kind::mismatch) == 3);
    CHECK(mentions(outcomes.of(2).text, "member 0 calls subset, but member 1 calls split"));
    const Outcomes of_calls = check_fails(3, Kind::mismatch, {"split, subset or dup"}, [&](Member& me) {
        me.rank() == 1 ? static_cast<void>(me.allreduce(1, sum)) : static_cast<void>(me.subset(ranks));
    });
    CHECK(of_calls.count(Kind::nothing) == 0);
}
