// Calls by some members of a group, whose ranks are at equal distances.

#include "../on_threads.hpp"
#include "support.hpp"

using namespace tutti;
using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

constexpr int uses = test::reduced ? 300 : 10'000;

/// How many of the twelve collectives are wrong in a group of the ranks first, first + stride, ...
int wrong_calls(Member& part, int first, int stride) {
    const int p = part.size();
    const int own = first + part.rank() * stride;
    const int total = p * first + stride * p * (p - 1) / 2;
    std::vector<int> ranks(static_cast<std::size_t>(p));
    for (int i = 0; i < p; ++i) {
        ranks[static_cast<std::size_t>(i)] = first + i * stride;
    }
    const auto is_root = part.rank() == p - 1;
    const std::vector<int> own_everywhere(ranks.size(), own);
    std::vector<int> gathered(ranks.size()), at_root(is_root ? ranks.size() : 0), everybody(ranks.size());
    std::vector<long> many(1000, own);
    std::array<int, 1> scattered{}, reduced{};
    part.barrier();
    part.allgather(own, gathered);
    part.gather(own, at_root, p - 1);
    part.scatter(is_root ? ranks : std::vector<int>{}, scattered, p - 1);
    part.alltoall(own_everywhere, everybody);
    part.reduce_scatter(ranks, reduced, sum);
    part.allreduce(many, sum);
    const std::array<int, 7> found{part.broadcast(own, p - 1),
                                   part.reduce(own, sum, 0),
                                   part.allreduce(own, sum),
                                   part.scan(1, sum),
                                   part.exscan(1, sum, 0),
                                   part.shift(own, 1),
                                   scattered[0]};
    const std::array<int, 7> expected{
        ranks.back(), part.rank() == 0 ? total : found[1],
        total,        part.rank() + 1,
        part.rank(),  ranks[static_cast<std::size_t>((part.rank() + p - 1) % p)],
        own};
    return (found == expected ? 0 : 1) + (gathered == ranks && everybody == ranks ? 0 : 1) +
           (!is_root || at_root == ranks ? 0 : 1) + (many.back() == total ? 0 : 1) +
           (reduced[0] == p * own ? 0 : 1);
}

/// Runs `part` as each member of a team that must be whole afterwards.
Outcomes outcomes_of(Team& team, const std::function<void(Member&)>& part) {
    const Ended ended = test::run(team, part);
    test::check_usable(team);
    return ended.each;
}

std::string refusal(int rank, int count, int first, int stride) {
    Group group(5);
    Member me = group.join(rank);
    const Thrown thrown = thrown_by([&] { static_cast<void>(me.among(count, first, stride)); });
    CHECK(thrown.kind == Thrown::Kind::argument);
    return thrown.text;
}

/// The exceptions of the members of a group that threads join.
std::vector<Thrown> thrown_in(Group& group, int threads, const std::function<void(Member&)>& act) {
    std::vector<Thrown> thrown(static_cast<std::size_t>(threads));
    test::on_threads(threads, [&](int rank) {
        thrown[static_cast<std::size_t>(rank)] = thrown_by([&] { group.run(rank, act); });
    });
    return thrown;
}

} // namespace

TEST_CASE("among: fewer members call, in numbers that change from call to call") {
    for (const int members : {1, 2, 3, 5, 8}) {
        Team team(members, {.placement = "none"});
        std::atomic<int> wrong{0};
        team.run([&](Member& me) {
            for (int use = 0; use < (test::reduced ? 10 : 50); ++use) {
                const int n = 1 + use * 7 % members;
                if (me.rank() < n) {
                    Member few = me.among(n);
                    wrong += few.size() == n && few.rank() == me.rank() ? wrong_calls(few, 0, 1) : 1;
                }
            }
            me.barrier();
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("among: rows and columns of a grid, made and dropped many times") {
    constexpr int rows = 2;
    constexpr int columns = 3;
    Team team(rows * columns, {.placement = "none"});
    std::atomic<int> wrong{0};
    team.run([&](Member& me) {
        const int row = me.rank() / columns;
        const int column = me.rank() % columns;
        for (int use = 0; use < uses; ++use) {
            const int in_row = me.among(columns, row * columns).allreduce(me.rank() + use, sum);
            const int in_column = me.among(rows, column, columns).allreduce(me.rank() + use, sum);
            wrong += in_row == columns * (row * columns + 1 + use) ? 0 : 1;
            wrong += in_column == rows * (column + use) + columns ? 0 : 1;
            if (use % 100 == 0) {
                Member mine = me.among(rows, column, columns);
                wrong += wrong_calls(mine, column, columns);
                Member alone = me.among(1, me.rank(), 1 + use);
                wrong += wrong_calls(alone, me.rank(), 1);
            }
        }
    });
    CHECK(wrong == 0);
}

TEST_CASE("among: calls continue where members have left the group, however late one is") {
    Team team(3, {.placement = "none"});
    std::atomic<int> wrong{0};
    std::atomic<int> done{0};
    team.run([&](Member& me) {
        for (int use = 1; use <= (test::reduced ? 100 : 1000) && me.rank() != 1; ++use) {
            // The root, which waits for nobody, has left several times before the other comes.
            while (me.rank() == 2 && use % 10 == 1 && done < use + 2) {
                std::this_thread::yield();
            }
            wrong += me.among(2, 0, 2).broadcast(me.rank() == 0 ? use : 0, 0) == use ? 0 : 1;
            if (me.rank() == 0) {
                done = use;
            }
            if (use % 10 == 0) {
                me.among(2, 0, 2).barrier();
            }
        }
    });
    CHECK(wrong == 0);
}

TEST_CASE("among: a group has the same calls in the next run, and on other threads") {
    Team team(3, {.placement = "none"});
    Group group(3);
    std::atomic<int> wrong{0};
    const auto part = [&](Member& me) {
        if (me.rank() != 1) {
            wrong += me.among(2, 0, 2).allreduce(me.rank(), sum) == 2 ? 0 : 1;
        }
    };
    for (int i = 0; i < 20; ++i) {
        team.run(part);
        for (const Thrown& thrown : thrown_in(group, 3, part)) {
            CHECK(thrown.text == "");
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("among: of a group of some members, and groups of that") {
    Team team(6, {.placement = "none"});
    std::atomic<int> wrong{0};
    team.run([&](Member& me) {
        if (me.rank() % 2 == 0) {
            Member even = me.among(3, 0, 2);
            if (even.rank() > 0) {
                Member last = even.among(2, 1);
                wrong += wrong_calls(last, 0, 1);
                wrong += last.allreduce(me.rank(), sum) == 6 ? 0 : 1;
            }
            Member copy = even.dup();
            wrong += copy.allreduce(me.rank(), sum) == 6 ? 0 : 1;
        }
        std::optional<Member> half = me.split(me.rank() / 3, -me.rank());
        wrong += half->rank() == 1 || half->among(2, 0, 2).allreduce(1, sum) == 2 ? 0 : 1;
    });
    CHECK(wrong == 0);
}

TEST_CASE("among: ranks that cannot be right are refused before anybody is told") {
    for (const auto& [rank, count, first, stride, says] :
         std::vector<std::tuple<int, int, int, int, const char*>>{
             {0, 0, 0, 1, "among: `count` is 0, must be in 1..5: the ranks 0, 0 + 1, ... must be in 0..4"},
             {0, 6, 0, 1, "among: `count` is 6, must be in 1..5"},
             {0, -3, 0, 1, "among: `count` is -3"},
             {2, 3, 2, 2, "among: `count` is 3, must be in 1..2: the ranks 2, 2 + 2, ... must be in 0..4"},
             {0, 2147483647, 0, 2147483647, "among: `count` is 2147483647, must be in 1..1"},
             {0, 1, -1, 1, "among: `first` is -1, must be in 0..4"},
             {0, 1, 5, 1, "among: `first` is 5, must be in 0..4"},
             {0, 2, 0, 0, "among: `stride` is 0, must be at least 1"},
             {0, 1, 0, -1, "among: `stride` is -1, must be at least 1"},
             {3, 2, 0, 1, "`count` is 2, `first` 0 and `stride` 1: the ranks do not include the caller's, 3"},
             {3, 3, 0, 2, "the ranks do not include the caller's, 3: only members of the new group call it"},
             {0, 2, 1, 1, "the ranks do not include the caller's, 0"}}) {
        const std::string text = refusal(rank, count, first, stride);
        INFO(text);
        CHECK(mentions(text, says));
    }
}

TEST_CASE("among: a member that throws releases those that wait in a group of some, and there are new ones") {
    Team team(4, {.placement = "none"});
    for (int i = 0; i < (test::reduced ? 3 : 20); ++i) {
        const Ended ended = test::run(team, [&](Member& me) {
            if (me.rank() == 3) {
                throw std::domain_error("no more data");
            }
            me.rank() < 2 ? me.among(2).barrier() : me.among(2, 2).barrier();
            me.rank() == i % 2 ? me.barrier() : me.among(4).barrier();
        });
        CHECK(ended.run.text == "no more data");
        CHECK(ended.each.of(2).kind == Thrown::Kind::aborted);
        CHECK(mentions(ended.each.of(2).text, "no more data"));
        std::atomic<int> total{0};
        team.run([&](Member& me) { total += me.among(2, me.rank() / 2 * 2).allreduce(1, sum); });
        CHECK(total == 8);
    }
}

TEST_CASE("among: members that differ fail the whole group") {
    Team team(4, {.placement = "none"});
    const Outcomes outcomes = outcomes_of(team, [](Member& me) {
        if (me.rank() % 2 == 0) {
            me.barrier();
        } else if (me.rank() == 1) {
            me.among(2, 1, 2).barrier();
        } else {
            static_cast<void>(me.among(2, 1, 2).allreduce(1, sum));
        }
    });
    CHECK(outcomes.count(Thrown::Kind::mismatch) >= 1);
    CHECK(mentions(outcomes.text(Thrown::Kind::mismatch), "in a sub-group of 2, whose members "));
    CHECK(outcomes.of(0).kind == Thrown::Kind::aborted);
    CHECK(mentions(outcomes.of(0).text, " of the whole group"));
    for (int i = 0; i < 3; ++i) {
        Group group(4);
        const std::vector<Thrown> thrown = thrown_in(group, 4, [](Member& me) {
            me.rank() == 0 ? me.barrier()
                           : me.among(3, 1).abort("enough of member " + std::to_string(me.rank()));
            me.barrier();
        });
        CHECK(thrown[0].kind == Thrown::Kind::aborted);
        CHECK(mentions(thrown[0].text, "enough of member"));
        for (const Thrown& each : thrown_in(group, 4, [](Member& me) {
                 me.among(4).barrier();
                 me.barrier();
             })) {
            CHECK(mentions(each.text, "enough of member"));
        }
    }
}

TEST_CASE("among: a timeout names the member of the group whose call it is") {
    Team team(4, {.placement = "none", .group = {.timeout = 60s}});
    std::array<int, 4> peers{};
    const auto part = [&](Member& me) {
        try {
            if (me.rank() == 1) {
                me.among(2, 1, 2).barrier({.timeout = 50ms});
            } else {
                std::this_thread::sleep_for(me.rank() == 3 ? 100ms : 0ms);
                me.barrier();
            }
        } catch (const TimeoutError& error) {
            peers[static_cast<std::size_t>(me.rank())] = error.context().peer;
            throw;
        }
    };
    const Ended ended = test::run(team, part);
    CHECK(ended.run.kind == Thrown::Kind::timeout);
    CHECK(mentions(ended.run.text,
                   "in a sub-group of 2, whose members 0 and 1 are 1 and 3 of the whole group"));
    CHECK(peers == std::array{3, 1, 3, 3});
    test::check_usable(team);
}

TEST_CASE("among: members that never join, or have returned, are not waited for") {
    Group group(4, {.join_timeout = 300ms});
    std::atomic<int> peer{-1};
    const std::vector<Thrown> thrown = thrown_in(group, 2, [&](Member& me) {
        me.among(2).barrier(); // is nothing to those that never come
        if (me.rank() == 1) {
            try {
                me.among(3, 1).barrier();
            } catch (const Error& error) {
                peer = error.context().peer;
                throw;
            }
        }
    });
    CHECK(thrown[0].text == "");
    CHECK(mentions(thrown[1].text, "members 2, 3 have not joined within 300 ms"));
    CHECK((peer == 1 || peer == 2));
    Team team(3, {.placement = "none"});
    const Outcomes outcomes = outcomes_of(team, [](Member& me) {
        if (me.rank() == 2) {
            me.among(2, 1).barrier();
        }
    });
    CHECK(outcomes.of(2).kind == Thrown::Kind::mismatch);
    CHECK(mentions(outcomes.of(2).text, "has returned without calling it"));
}

TEST_CASE("among: an exception that destroys a member of the group is the program's own affair") {
    Team team(3, {.placement = "none"});
    std::atomic<int> total{0};
    team.run([&](Member& me) {
        if (me.rank() < 2) {
            try {
                Member pair = me.among(2);
                if (me.rank() == 0) {
                    throw std::domain_error("try again");
                }
                total += pair.allreduce(1, sum);
            } catch (const std::domain_error&) {
                total += me.among(2).allreduce(1, sum);
            }
        }
    });
    CHECK(total == 4);
    const Ended ended = test::run(team, [](Member& me) {
        Member few = me.among(2, me.rank() / 2);
        if (me.rank() == 0) {
            throw std::domain_error("no more data");
        }
        few.barrier();
        me.barrier();
    });
    CHECK(ended.run.text == "no more data");
    CHECK(mentions(ended.each.of(1).text, "no more data"));
    // An operation that the others need not start ends with it.
    const Ended with_request = test::run(team, [](Member& me) {
        if (me.rank() == 0) {
            Request request;
            Member all = me.among(3);
            request = all.start.barrier();
            throw std::domain_error("no more data");
        }
        me.barrier();
    });
    CHECK(with_request.run.text == "no more data");
    CHECK(with_request.each.of(1).kind == Thrown::Kind::aborted);
}

TEST_CASE("among: operations last until the last member of the group on a thread is destroyed") {
    Team team(2, {.placement = "none"});
    std::array<int, 2> sums{};
    team.run([&](Member& me) {
        int& own = sums[static_cast<std::size_t>(me.rank())];
        Member pair = me.among(2);
        int one = 1;
        int total = 0;
        Persistent step = pair.prepare.allreduce(one, total, sum);
        for (int i = 0; i < 3; ++i) {
            me.among(2).barrier(); // leaves the prepared operation as it is
            step.start();
            step.wait();
            own += total;
        }
        Member moved = std::move(pair);
        moved.start.allreduce(one, own, sum).then([&](const std::exception_ptr& /*none*/) { own += 10; });
        moved = me.among(2);
    });
    CHECK(sums == std::array{12, 12});
}

TEST_CASE("among: a member that outlives its team is harmless") {
    std::vector<std::optional<Member>> kept(2);
    {
        Team team(2, {.placement = "none"});
        team.run([&](Member& me) { kept[static_cast<std::size_t>(me.rank())].emplace(me.among(2)); });
    }
    CHECK(kept[1]->size() == 2);
    CHECK(mentions(kept[1]->roll_call(), "a sub-group of 2 members"));
}

TEST_CASE("among: a member from before a failure stays failed, and harms nobody") {
    std::vector<std::optional<Member>> kept(3);
    Team team(3, {.placement = "none"});
    const auto own = [&](const Member& me) -> std::optional<Member>& {
        return kept[static_cast<std::size_t>(me.rank())];
    };
    const Ended ended = test::run(team, [&](Member& me) {
        own(me).emplace(me.among(3));
        me.barrier();
        if (me.rank() == 1) {
            throw std::domain_error("no more data");
        }
        own(me)->barrier();
    });
    CHECK(ended.run.text == "no more data");
    Outcomes outcomes(3);
    team.run([&](Member& me) {
        outcomes.note(me, [&] { own(me)->barrier(); });
        me.barrier();
        me.among(3).barrier();
    });
    CHECK(outcomes.count(Thrown::Kind::aborted) == 3);
}

TEST_CASE("among: a roll call has the ranks in the whole group") {
    Team team(4, {.placement = "none"});
    std::string text;
    team.run([&](Member& me) {
        if (me.rank() % 2 == 1) {
            Member odd = me.among(2, 1, 2);
            odd.barrier();
            if (odd.rank() == 0) {
                text = odd.roll_call();
            }
            odd.barrier();
        }
    });
    CHECK(mentions(text, "roll call of a sub-group of 2 members"));
    CHECK(mentions(text, ", member 1 of the whole group"));
    CHECK(mentions(text, ", member 3 of the whole group"));
}
