// What is wrong with blocks that lie anywhere, and with counts that only the root knows.

#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using List = std::vector<std::size_t>;

std::size_t rank_of(const Member& me) {
    return static_cast<std::size_t>(me.rank());
}

/// What members throw of whom each makes its own call, on a team that must be whole afterwards.
Outcomes outcomes_of(int members, const std::function<void(Member&)>& call) {
    Team team(members, {.placement = "none"});
    Outcomes outcomes(members);
    thrown_by([&] {
        team.run([&](Member& me) {
            outcomes.note(me, [&] {
                call(me);
                me.barrier(); // where who has its block is told
            });
        });
    });
    test::check_usable(team);
    return outcomes;
}

void check_all_told(const Outcomes& outcomes, int members, const std::string& part) {
    INFO(outcomes.text(Thrown::Kind::mismatch), " / ", outcomes.text(Thrown::Kind::aborted));
    CHECK(outcomes.count(Thrown::Kind::mismatch) >= 1);
    CHECK(outcomes.count(Thrown::Kind::mismatch) + outcomes.count(Thrown::Kind::aborted) == members);
    for (int rank = 0; rank < members; ++rank) {
        CHECK(mentions(outcomes.of(rank).text, part));
    }
}

/// What a member of two throws at once, without anybody's coming.
std::string refused(const std::function<void(Member&)>& call) {
    Group group(2);
    Member me = group.join(0);
    const Member other = group.join(1);
    const Thrown thrown = thrown_by([&] { call(me); });
    CHECK(thrown.kind == Thrown::Kind::argument);
    return thrown.text;
}

} // namespace

TEST_CASE("displacements that cannot be right are refused before anybody is told") {
    std::vector<int> five(5);
    const std::vector<int> in(5);
    const List two_two{2, 2};
    const auto allgather = [&](const List& counts, const List& displacements) {
        return refused(
            [&](Member& me) { me.allgather(std::span(in).first(2), five, Counts(counts, displacements)); });
    };
    CHECK(mentions(allgather(two_two, {0}), "`counts` has 1 displacements, must have one for each of the 2"));
    CHECK(mentions(allgather({2}, {0}), "`counts` has 1 entries, must have one for each of the 2 members"));
    CHECK(mentions(allgather(two_two, {0, 4}),
                   "allgather: `out` has 5 elements, but block 1 has 2 from displacement 4 on"));
    CHECK(mentions(allgather(two_two, {~std::size_t{0}, 0}), "but block 0 has 2 from displacement 1844"));
    CHECK(mentions(allgather({2, ~std::size_t{0}}, {0, 2}), "but block 1 has 1844"));
    CHECK(
        mentions(allgather(two_two, {1, 0}), "allgather: blocks 0 and 1 of `out` overlap: each is written"));
    CHECK(mentions(allgather({3, 1}, {0, 4}), "`block` has 2 elements, but `counts[0]` is 3"));
    const auto exchange = [&](const List& to, const List& from) {
        return refused([&](Member& me) {
            std::vector<int> out(5);
            me.alltoall(in, Counts(two_two, to), out, Counts(two_two, from));
        });
    };
    CHECK(
        mentions(exchange({0, 4}, {0, 2}), "`in` has 5 elements, but block 1 has 2 from displacement 4 on"));
    CHECK(mentions(exchange({0, 0}, {0, 4}), "`out` has 5 elements, but block 1"));
    CHECK(mentions(exchange({0, 0}, {3, 2}), "blocks 0 and 1 of `out` overlap"));
    CHECK(mentions(refused([&](Member& me) {
                       me.alltoall(five, Counts(two_two, List{0, 1}));
                   }),
                   "blocks 0 and 1 of `inout` overlap"));
    CHECK(mentions(refused([&](Member& me) {
                       me.gather(std::span(in).first(2), five, Counts(two_two, List{0, 1}), 0);
                   }),
                   "gather: blocks 0 and 1 of `out` overlap"));
    CHECK(mentions(refused([&](Member& me) {
                       me.scatter(in, std::span(five).first(2), Counts(two_two, List{0, 9}), 0);
                   }),
                   "scatter: `in` has 5 elements, but block 1 has 2 from displacement 9 on"));
    CHECK(mentions(refused([&](Member& me) {
                       me.gather(in, five, Counts(two_two, List{0, 2}), 2);
                   }),
                   "`root` is 2, must be in 0..1"));
}

TEST_CASE("vectors with displacements must be there and apart") {
    const List counts{2, 2};
    const List displacements{3, 0};
    std::vector<int> all(7);
    const std::span five = std::span(all).first(5);
    const std::span<int> nowhere(static_cast<int*>(nullptr), 5);
    CHECK(mentions(refused([&](Member& me) {
                       me.allgather(std::span(all).subspan(2, 2), five, Counts(counts, displacements));
                   }),
                   "`block` and `out` overlap: pass separate vectors, or one in place"));
    CHECK(mentions(refused([&](Member& me) {
                       me.allgather(std::span(all).last(2), nowhere, Counts(counts, displacements));
                   }),
                   "`out` has 5 elements but is a null pointer"));
    CHECK(mentions(refused([&](Member& me) {
                       me.alltoall(five, Counts(counts, displacements), five, Counts(counts, displacements));
                   }),
                   "they must be separate vectors, or one in place"));
    std::vector<int> shared_vector(5);
    CHECK(mentions(refused([&](Member& me) {
                       me.allgather(std::span(all).first(2), shared(shared_vector),
                                    Counts(counts, displacements));
                   }),
                   "one vector for all members takes no displacements"));
    CHECK(mentions(refused([&](Member& me) {
                       me.reduce_scatter(five, std::span(all).last(2), Counts(counts, displacements), sum);
                   }),
                   "reduce_scatter: takes no displacements"));
    CHECK(mentions(refused([&](Member& me) {
                       me.allgather(std::span(all).last(2), five, Counts(counts, displacements),
                                    {.algorithm = "direct"});
                   }),
                   "these would work: flat"));
}

TEST_CASE("the root must have the counts that only it gives") {
    std::vector<int> all(5);
    CHECK(mentions(refused([&](Member& me) { me.gather(std::span(all).first(2), Counts(), 0); }),
                   "`counts` has 0 entries, must have one for each of the 2 members"));
    const List counts{2, 3};
    CHECK(mentions(refused([&](Member& me) {
                       const std::vector<int> block(1);
                       me.gather(block, all, Counts(counts), 0);
                   }),
                   "`block` has 1 elements, but `counts[0]` is 2"));
    CHECK(mentions(refused([&](Member& me) {
                       std::vector<int> block(1);
                       me.scatter(all, block, Counts(counts), 0);
                   }),
                   "`block` has 1 elements, but `counts[0]` is 2"));
}

TEST_CASE("a block of another length than its count is named on every member") {
    for (const int members : {2, 3, 5, 8}) {
        const std::size_t final_rank = static_cast<std::size_t>(members) - 1;
        const std::string end = std::to_string(final_rank);
        for (const std::size_t wrong : List{2, 4, 500'000}) {
            const std::string length = std::to_string(wrong);
            const auto mine = [&](const Member& me) {
                return std::vector<double>(rank_of(me) == final_rank ? wrong : 3, 1.0);
            };
            const List counts(static_cast<std::size_t>(members), 3);
            const std::string says = "gather: counts[" + end + "] of member 0 is 3, but `block` of member " +
                                     end + " has " + length + " elements";
            check_all_told(outcomes_of(members,
                                       [&](Member& me) {
                                           std::vector<double> out(3 * counts.size());
                                           me.gather(mine(me), out, Counts(counts), 0);
                                       }),
                           members, says);
            check_all_told(outcomes_of(members,
                                       [&](Member& me) {
                                           const std::vector<double> in(3 * counts.size());
                                           std::vector<double> out = mine(me);
                                           me.scatter(in, out, Counts(counts), 0);
                                       }),
                           members,
                           "scatter: counts[" + end + "] of member 0 is 3, but `block` of member " + end +
                               " has " + length + " elements");
            const Outcomes outcomes = outcomes_of(members, [&](Member& me) {
                List own = counts;
                own[final_rank] = rank_of(me) == final_rank ? wrong : 3;
                List places(own.size());
                std::exclusive_scan(own.begin(), own.end(), places.begin(), std::size_t{0});
                std::vector<double> out(3 * final_rank + own[final_rank]);
                me.allgather(mine(me), out, Counts(own, places));
            });
            check_all_told(outcomes, members, "allgather: counts[" + end + "] of member ");
            check_all_told(outcomes, members, " is 3, but `block` of member " + end + " has " + length);
        }
    }
}

TEST_CASE("counts of an all-to-all in place must be those of the other member") {
    const Outcomes outcomes = outcomes_of(3, [&](Member& me) {
        List counts(3, 2);
        counts[0] = me.rank() == 2 ? 5 : 2;
        std::vector<int> inout(counts[0] + 4);
        me.alltoall(inout, Counts(counts));
    });
    INFO(outcomes.text(Thrown::Kind::mismatch));
    CHECK(outcomes.count(Thrown::Kind::mismatch) + outcomes.count(Thrown::Kind::aborted) == 3);
    const std::string text = outcomes.text(Thrown::Kind::mismatch);
    CHECK((mentions(text, "counts[2] of member 0 is 2, but counts[0] of member 2 is 5") ||
           mentions(text, "counts[0] of member 2 is 5, but counts[2] of member 0 is 2")));
}

TEST_CASE("members that disagree on who knows the counts are told") {
    const List counts(3, 2);
    const List places{4, 2, 0};
    struct Case {
        std::function<void(Member&)> odd;
        std::function<void(Member&)> others;
        const char* says;
    };
    std::vector<std::vector<int>> outs(3, std::vector<int>(6));
    const std::vector<int> block(2);
    const auto out = [&](const Member& me) -> std::vector<int>& { return outs[rank_of(me)]; };
    const Case cases[] = {
        {[&](Member& me) { me.gather(block, out(me), CountsOnAll(counts), 0); },
         [&](Member& me) { me.gather(block, out(me), Counts(counts), 0); }, "by counts at the root"},
        {[&](Member& me) { me.gather(block, out(me), CountsOnAll(counts, places), 0); },
         [&](Member& me) { me.gather(block, out(me), Counts(counts), 0); }, "by counts with displacements"},
        {[&](Member& me) { me.allgather(block, out(me), Counts(counts, places)); },
         [&](Member& me) { me.allgather(block, out(me), Counts(counts)); }, "by counts with displacements"},
        {[&](Member& me) { me.scatter(out(me), Counts(), 0); },
         [&](Member& me) { me.scatter(std::span(out(me)).first(me.rank() == 0 ? 6 : 2), 0); },
         "by counts at the root"}};
    for (const Case& each : cases) {
        for (const int odd : {0, 2}) {
            if (odd == 0 && &each == &cases[3]) {
                continue;
            }
            const Outcomes outcomes =
                outcomes_of(3, [&](Member& me) { me.rank() == odd ? each.odd(me) : each.others(me); });
            check_all_told(outcomes, 3, each.says);
        }
    }
}
