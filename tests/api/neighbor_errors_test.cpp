// What is wrong with graphs of neighbours, and with exchanges among them.

#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Ranks = std::vector<int>;

/// What a member of two throws at once, without anybody's coming.
std::string refused(const std::function<void(Member&, const Neighbors&)>& call) {
    Group group(2);
    Member me = group.join(0);
    const Member other = group.join(1);
    const Neighbors pair = me.grid({2}, {true});
    const Thrown thrown = thrown_by([&] { call(me, pair); });
    CHECK(thrown.kind == Thrown::Kind::argument);
    return thrown.text;
}

} // namespace

TEST_CASE("graphs that the members do not agree on are refused on every member") {
    const auto outcomes = [](const std::function<Neighbors(Member&)>& make) {
        Team team(3, {.placement = "none"});
        Outcomes each(3);
        team.run([&](Member& me) { each.note(me, [&] { std::ignore = make(me); }); });
        check_usable(team);
        CHECK(each.count(Thrown::Kind::argument) == 3);
        CHECK(each.of(0).text == each.of(2).text);
        return each.of(1).text;
    };
    CHECK(mentions(outcomes([](Member& me) { return me.neighbors(me.rank() == 1 ? Ranks{2} : Ranks{}, {}); }),
                   "neighbors: member 1 names member 2 1 time in `sources`, but that names it 0 times in "
                   "`destinations`"));
    CHECK(mentions(outcomes([](Member& me) { return me.neighbors({}, me.rank() == 1 ? Ranks{3} : Ranks{}); }),
                   "neighbors: member 1 has 3 in `destinations`: must be in 0..2"));
    CHECK(mentions(outcomes([](Member& me) {
                       return me.grid({2, 2}, {true, true});
                   }),
                   "grid: `dims` is 2 x 2: the product must be the number of members, 3"));
    CHECK(mentions(outcomes([](Member& me) {
                       return me.grid({-3, -1}, {true, true});
                   }),
                   "`dims` is -3 x -1"));
    CHECK(mentions(outcomes([](Member& me) { return me.grid({}, {}); }), "`dims` is empty"));
    CHECK(mentions(outcomes([](Member& me) { return me.grid({3}, {}); }),
                   "grid: `wraps` has 0 entries, must have one for each of the 1 dimensions"));
}

TEST_CASE("more neighbours than a plan can number are refused") {
    Team team(1, {.placement = "none"});
    team.run([](Member& me) {
        const Ranks many(70000, 0);
        const Thrown thrown = thrown_by([&] { std::ignore = me.neighbors(many, many); });
        CHECK(thrown.kind == Thrown::Kind::argument);
        CHECK(mentions(thrown.text, "at most 65535"));
    });
}

TEST_CASE("lengths that differ between neighbours are reported with both") {
    Team team(3, {.placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        const Neighbors line = me.grid({3}, {false});
        const std::vector<int> in(4);
        std::vector<int> out(5);
        me.neighbor_alltoall(line, in, Counts({2, 2}), out,
                             me.rank() == 1 ? Counts({2, 3}) : Counts({2, 2}, {0, 2}));
        me.barrier();
    });
    INFO(ended.run.text);
    CHECK(ended.each.of(1).kind == Thrown::Kind::mismatch);
    for (int rank = 0; rank < 3; ++rank) {
        CHECK(mentions(ended.each.of(rank).text, "neighbor_alltoall: recv_counts[1] of member 1 is 3, but "
                                                 "send_counts[0] of member 2 is 2"));
    }
    check_usable(team);
}

TEST_CASE("different graphs, and a graph against all members, are mismatches") {
    const auto text = [](const std::function<void(Member&)>& call) {
        Team team(2, {.placement = "none"});
        const Ended ended = run(team, call);
        CHECK(ended.run.kind == Thrown::Kind::mismatch);
        check_usable(team);
        return ended.run.text;
    };
    const std::vector<int> in(2);
    CHECK(mentions(text([&](Member& me) {
                       std::vector<int> out(2);
                       me.neighbor_alltoall(me.grid({2}, {me.rank() == 0}), in, out);
                   }),
                   "their graphs differ"));
    CHECK(mentions(text([&](Member& me) {
                       std::vector<int> out(2);
                       if (me.rank() == 0) {
                           me.neighbor_alltoall(me.grid({2}, {true}), in, out);
                       } else {
                           me.alltoall(in, Counts({1, 1}), out, Counts({1, 1}));
                       }
                   }),
                   "neighbor_alltoall of 4-byte elements of i32"));
    CHECK(mentions(text([&](Member& me) {
                       std::vector<int> out(2, me.rank());
                       static std::vector<int> shared(2);
                       me.neighbor_alltoall(me.grid({2}, {true}), in, shared);
                   }),
                   "they write to the same memory"));
}

TEST_CASE("wrong arguments of an exchange are refused before anybody is told") {
    const std::vector<int> in(6);
    std::vector<int> out(6);
    CHECK(
        mentions(refused([&](Member& me, const Neighbors& pair) {
                     me.neighbor_alltoall(pair, std::span(in).first(3), out);
                 }),
                 "neighbor_alltoall: `in` has 3 elements, which do not make 2 equal blocks, one for each of "
                 "the destinations"));
    CHECK(mentions(refused([&](Member& me, const Neighbors& pair) {
                       me.neighbor_alltoall(pair, in, Counts({3, 3}), out, Counts({6}));
                   }),
                   "`recv_counts` has 1 entries, must have one for each of the 2 sources"));
    CHECK(mentions(refused([&](Member& me, const Neighbors& pair) {
                       me.neighbor_alltoall(pair, in, Counts({3, 4}), out, Counts({3, 3}));
                   }),
                   "`in` has 6 elements, but `send_counts` add up to 7"));
    CHECK(mentions(refused([&](Member& me, const Neighbors& pair) {
                       me.neighbor_alltoall(pair, in, Counts({3, 3}, {0}), out, Counts({3, 3}));
                   }),
                   "`send_counts` has 1 displacements, must have one for each of the 2 destinations"));
    CHECK(mentions(refused([&](Member& me, const Neighbors& pair) {
                       me.neighbor_alltoall(pair, in, Counts({3, 3}), out, Counts({3, 3}, {0, 2}));
                   }),
                   "blocks 0 and 1 of `out` overlap: each is written"));
    CHECK(mentions(refused([&](Member& me, const Neighbors& pair) {
                       me.neighbor_alltoall(pair, out, Counts({1, 2}, {0, 4}), out, Counts({2, 2}, {1, 3}));
                   }),
                   "block 1 of `in` and block 1 of `out` overlap: what is received must not overlap what is "
                   "sent"));
    CHECK(mentions(refused([&](Member& me, const Neighbors& pair) {
                       const std::span all(out);
                       me.neighbor_alltoall(pair, all.first(4), all.last(4));
                   }),
                   "`in` and `out` overlap: pass separate buffers, or the same one"));
    CHECK(mentions(refused([&](Member& me, const Neighbors&) {
                       Team one(1, {.placement = "none"});
                       one.run([&](Member& alone) {
                           const Neighbors loop = alone.grid({1}, {true});
                           me.neighbor_alltoall(loop, in, out);
                       });
                   }),
                   "`neighbors` belongs to rank 0 of 1 members, this is rank 0 of 2"));
    CHECK(mentions(refused([&](Member& me, const Neighbors& pair) {
                       me.neighbor_alltoall(pair, in, out, {.algorithm = "direct"});
                   }),
                   "has no algorithms to choose from"));
    CHECK(mentions(refused([&](Member& me, const Neighbors& pair) {
                       Neighbors copy = pair;
                       const Neighbors moved = std::move(copy);
                       me.neighbor_alltoall(copy, in, out); // NOLINT(bugprone-use-after-move)
                   }),
                   "`neighbors` was moved from"));
}

TEST_CASE("ranks of an AsyncGroup have no neighbours") {
    AsyncGroup one(1);
    Team team(1, {.placement = "none"});
    team.run([&](Member& me) {
        const Neighbors loop = me.grid({1}, {true});
        const std::vector<int> in(2);
        std::vector<int> out(2);
        const Thrown thrown = thrown_by([&] { one.at(0).neighbor_alltoall(loop, in, out).wait(); });
        CHECK(thrown.kind == Thrown::Kind::argument);
        CHECK(mentions(thrown.text, "neighbor_alltoall: is for members of a Team or Group"));
    });
}

TEST_CASE("what a member sends to itself must have the length that it expects") {
    Team team(1, {.placement = "none"});
    team.run([](Member& me) {
        const Neighbors loop = me.grid({1}, {true});
        const std::vector<int> in{1, 2, 3};
        std::vector<int> out(3);
        const Thrown thrown = thrown_by([&] {
            me.neighbor_alltoall(loop, in, Counts({1, 2}), out, Counts({1, 2}));
        });
        CHECK(mentions(thrown.text, "block 1 of `in` has 2 elements, but block 0 of `out` has 1"));
        me.neighbor_alltoall(loop, in, Counts({1, 2}), out, Counts({2, 1}));
        CHECK(out == std::vector<int>{2, 3, 1});
    });
}
