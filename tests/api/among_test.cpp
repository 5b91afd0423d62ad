// Calls by some members of a group, whose ranks are at equal distances.

#include "../fast_clock.hpp"
#include "../ways/exam.hpp"
#include "support.hpp"

namespace {

constexpr int uses = test::reduced ? 300 : 10'000;

/// How many collectives are wrong in a group.
int wrong_calls(Member& part) {
    const ElementType integers{Type::i32, sizeof(std::int32_t), DynamicOp(Operator::sum)};
    const Reference<std::int32_t> reference(part.size(), ordinary<std::int32_t>, sum);
    int wrong = 0;
    for (const std::size_t n : {1U, 1000U}) {
        for (const Shape& shape : regular_shapes(n, {part.size() - 1}, {1})) {
            Vectors<std::byte> vectors =
                with_guard(reference.vectors(index_of(part), shape), reference.untouched());
            call_blocking(part, call_of(shape, vectors, integers, vectors.in, vectors.out));
            wrong += vectors.out == vectors.expected ? 0 : 1;
        }
    }
    return wrong;
}

} // namespace

TEST_CASE("among: fewer members call, in numbers that change from call to call") {
    for (const int members : {1, 2, 3, 5, 8}) {
        check_members(members, [&](Member& me) {
            int wrong = 0;
            for (int use = 0; use < (test::reduced ? 10 : 50); ++use) {
                const int n = 1 + use * 7 % members;
                if (me.rank() < n) {
                    Member few = me.among(n);
                    wrong += few.size() == n && few.rank() == me.rank() ? wrong_calls(few) : 1;
                }
            }
            me.barrier();
            return wrong == 0;
        });
    }
}

TEST_CASE("among: rows and columns of a grid, made and dropped many times") {
    constexpr int rows = 2;
    constexpr int columns = 3;
    check_members(rows * columns, [](Member& me) {
        int wrong = 0;
        const int row = me.rank() / columns;
        const int column = me.rank() % columns;
        for (int use = 0; use < uses; ++use) {
            const int in_row = me.among(columns, row * columns).allreduce(me.rank() + use, sum);
            const int in_column = me.among(rows, column, columns).allreduce(me.rank() + use, sum);
            wrong += in_row == columns * (row * columns + 1 + use) ? 0 : 1;
            wrong += in_column == rows * (column + use) + columns ? 0 : 1;
            if (use % 100 == 0) {
                Member mine = me.among(rows, column, columns);
                wrong += mine.rank() == row ? wrong_calls(mine) : 1;
                Member alone = me.among(1, me.rank(), 1 + use);
                wrong += wrong_calls(alone);
            }
        }
        return wrong == 0;
    });
}

TEST_CASE("among: calls continue where members have left the group, however late one is") {
    std::atomic<int> done{0};
    check_members(3, [&](Member& me) {
        int wrong = 0;
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
        return wrong == 0;
    });
}

TEST_CASE("among: a group has the same calls in the next run, and on other threads") {
    Team team(3, {.placement = Placement::none});
    Group group(3);
    const auto part = [](Member& me) {
        CHECK((me.rank() == 1 || me.among(2, 0, 2).allreduce(me.rank(), sum) == 2));
    };
    for (int i = 0; i < 20; ++i) {
        team.run(part);
        for (const Thrown& thrown : run_threads(group, 3, part)) {
            CHECK(thrown.text == "");
        }
    }
}

TEST_CASE("among: of a group of some members, and groups of that") {
    check_members(6, [](Member& me) {
        int wrong = 0;
        if (me.rank() % 2 == 0) {
            Member even = me.among(3, 0, 2);
            if (even.rank() > 0) {
                Member last = even.among(2, 1);
                wrong += last.rank() == me.rank() / 2 - 1 ? wrong_calls(last) : 1;
                wrong += last.allreduce(me.rank(), sum) == 6 ? 0 : 1;
            }
            Member copy = even.dup();
            wrong += copy.allreduce(me.rank(), sum) == 6 ? 0 : 1;
        }
        std::optional<Member> half = me.split(me.rank() / 3, -me.rank());
        return wrong == 0 && (half->rank() == 1 || half->among(2, 0, 2).allreduce(1, sum) == 2);
    });
}

TEST_CASE("among: ranks that cannot be right are rejected before anybody is told") {
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
             {3, 2, 0, 1, "`count` is 2, `first` 0 and `stride` 1: the ranks do not include this rank, 3"},
             {3, 3, 0, 2, "the ranks do not include this rank, 3: only members of the new group call it"},
             {0, 2, 1, 1, "the ranks do not include this rank, 0"}}) {
        Group group(5);
        Member me = group.join(rank);
        check_rejected(says, [&, count = count, first = first, stride = stride] {
            static_cast<void>(me.among(count, first, stride));
        });
    }
}

TEST_CASE("among: members that differ fail the whole group") {
    const std::string says = "in a sub-group of 2, whose members ";
    const Outcomes outcomes = check_fails(4, Kind::mismatch, {}, [](Member& me) {
        if (me.rank() % 2 == 0) {
            me.barrier();
        } else if (me.rank() == 1) {
            me.among(2, 1, 2).barrier();
        } else {
            static_cast<void>(me.among(2, 1, 2).allreduce(1, sum));
        }
    });
    CHECK(mentions(outcomes.text(Kind::mismatch), says));
    check_thrown(outcomes.of(0), Kind::aborted, {" of the whole group"});
    for (int i = 0; i < 3; ++i) {
        Group group(4);
        const std::vector<Thrown> thrown = run_threads(group, 4, [](Member& me) {
            me.rank() == 0 ? me.barrier()
                           : me.among(3, 1).abort("enough of member " + std::to_string(me.rank()));
            me.barrier();
        });
        check_thrown(thrown[0], Kind::aborted, {"enough of member"});
        for (const Thrown& each : run_threads(group, 4, [](Member& me) { me.among(4).barrier(); })) {
            CHECK(mentions(each.text, "enough of member"));
        }
    }
}

TEST_CASE("among: members of a group of some are released if another throws, or one of theirs has returned") {
    Team team(4, {.placement = Placement::none});
    const Outcomes each = check_fails(team, Kind::other, {"no more data"}, [](Member& me) {
        if (me.rank() == 3) {
            throw std::domain_error("no more data");
        }
        for (;;) {
            me.rank() < 2 ? me.among(2).barrier() : me.among(2, 2).barrier();
        }
    });
    CHECK(each.count(Kind::aborted) == 3);
    team.run([](Member& me) { CHECK(me.among(2, me.rank() / 2 * 2).allreduce(1, sum) == 2); });
    check_fails(team, Kind::mismatch, {"has returned without calling it"},
                [](Member& me) { me.rank() == 2 ? me.among(2, 1).barrier() : void(); });
}

TEST_CASE("among: a timeout names the member of the group whose call it is") {
    const FastClock clock(2);
    Team team(4, {.placement = Placement::none, .group = {.timeout = 60s}});
    std::array<int, 4> peers{};
    const auto part = [&](Member& me) {
        try {
            if (me.rank() == 1) {
                me.among(2, 1, 2).barrier({.timeout = 50ms});
            } else {
                test::sleep_for(me.rank() == 3 ? 100ms : 0ms);
                me.barrier();
            }
        } catch (const TimeoutError& error) {
            peers[index_of(me)] = error.context().peer;
            throw;
        }
    };
    check_fails(team, Kind::timeout,
                {"in a sub-group of 2, whose members 0 and 1 are 1 and 3 of the whole group"}, part);
    CHECK(peers == std::array{3, 1, 3, 3});
}

TEST_CASE("among: members that never join are not waited for") {
    const FastClock clock(6);
    Group group(4, {.join_timeout = 300ms});
    std::atomic<int> peer{-1};
    const std::vector<Thrown> thrown = run_threads(group, 2, [&](Member& me) {
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
}

TEST_CASE("among: an exception that destroys a member of the group is the program's own affair") {
    check_members(3, [](Member& me) {
        if (me.rank() == 2) {
            return true;
        }
        try {
            Member pair = me.among(2);
            if (me.rank() == 0) {
                throw std::domain_error("try again");
            }
            return pair.allreduce(1, sum) == 2;
        } catch (const std::domain_error&) {
            return me.among(2).allreduce(1, sum) == 2;
        }
    });
    // An operation that the others need not start ends with it.
    const Outcomes with_request = check_fails(3, Kind::other, {"no more data"}, [](Member& me) {
        if (me.rank() == 0) {
            Request request;
            Member all = me.among(3);
            request = all.start.barrier();
            throw std::domain_error("no more data");
        }
        me.barrier();
    });
    CHECK(with_request.of(1).kind == Kind::aborted);
}

TEST_CASE("among: operations last until the last member of the group on a thread is destroyed") {
    check_members(2, [](Member& me) {
        int own = 0;
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
        return own == 12;
    });
}

TEST_CASE("among: a member that outlives its team, or a failure, is harmless") {
    std::vector<std::optional<Member>> kept(3);
    const auto keep = [&](Member& me) { kept[index_of(me)].emplace(me.among(3)); };
    Team(3, {.placement = Placement::none}).run(keep);
    CHECK(kept[1]->size() == 3);
    CHECK(mentions(kept[1]->roll_call(), "a sub-group of 3 members"));
    Team team(3, {.placement = Placement::none});
    check_fails(team, Kind::other, {"no more data"}, [&](Member& me) {
        keep(me);
        me.barrier();
        if (me.rank() == 1) {
            throw std::domain_error("no more data");
        }
        kept[index_of(me)]->barrier();
    });
    team.run([&](Member& me) {
        CHECK(thrown_by([&] { kept[index_of(me)]->barrier(); }).kind == Kind::aborted);
        me.barrier();
        me.among(3).barrier();
    });
}
