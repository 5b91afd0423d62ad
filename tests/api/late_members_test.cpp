// Members that come late or never, and seats that nobody takes, because a region got fewer threads than its
// group has: what those are told that wait.

#include "../fast_clock.hpp"
#include "support.hpp"

namespace {

constexpr std::array all_waits{Wait::automatic, Wait::spin, Wait::yield, Wait::sleep};
constexpr auto make_barrier = [](Member& me) { me.barrier(); };

/// The first `threads` members of the group wait in vain. One reports it, the others may be released by that.
void check_told(Group group, int threads, const std::string& who, const Part& act) {
    bool is_said = false;
    std::barrier<> joined(threads); // however slowly the machine starts them
    const auto together = [&](Member& me) {
        joined.arrive_and_wait();
        act(me);
    };
    for (const Thrown& each : run_threads(group, threads, together)) {
        is_said = is_said || each.kind == Kind::error;
        CHECK((each.kind == Kind::error || each.kind == Kind::aborted));
        check_thrown(each, each.kind, {who, "OMP_THREAD_LIMIT"});
    }
    CHECK(is_said);
}

} // namespace

TEST_CASE("members that are behind are listed with the last that they have called") {
    const FastClock clock(6);
    Team team(4, {.placement = Placement::none, .group = {.timeout = 300ms}});
    const Ended outcome = late_member(team, 2, [](Member& me) {
        if (me.rank() != 2) {
            me.barrier();
        }
        std::vector<double> three(3);
        me.broadcast(three, 0);
    });
    check_mentions(outcome.run.text, {"has waited 300 ms in operation 1, barrier", "at last for member 2",
                                      "1 of 4 members is not there: member 2 has made no call yet"});
}

TEST_CASE("tasks that block, on a pool with fewer workers, are told") {
    const FastClock clock(4);
    Group group(4, {.timeout = 100ms});
    std::vector<Thrown> thrown(4);
    const auto task = [&](int rank) {
        thrown[static_cast<std::size_t>(rank)] = thrown_by([&] { group.run(rank, make_barrier); });
    };
    on_threads(2, [&](int worker) {
        task(worker);
        task(worker + 2);
    });
    for (const Thrown& each : thrown) {
        // Those that come when others have been told are told by join().
        CHECK((each.kind == Kind::timeout || each.kind == Kind::aborted));
        check_mentions(each.text, {"member 2 has not joined; member 3 has not joined. Every rank",
                                   "the size of a pool"});
    }
}

TEST_CASE("a member that joins and leaves without a call is named") {
    Group group(2, {.timeout = 60s});
    std::thread([&] { group.run(1, [](Member&) {}); }).join();
    check_thrown(thrown_by([&] { group.run(0, make_barrier); }), Kind::mismatch,
                 {"member 1 has returned without calling it"});
}

TEST_CASE("a member that has not started what it has prepared is named, and one that has not prepared it") {
    const FastClock clock(4);
    Team team(3, {.placement = Placement::none, .group = {.timeout = 100ms}});
    std::atomic<bool> is_told{false};
    check_fails(team, Kind::timeout,
                {"2 of 3 members are not there: member 2 has made no call yet",
                 "member 1 has not started it as often"},
                [&](Member& me) {
                    int value = 1;
                    Persistent step;
                    if (me.rank() != 2) { // which makes no call
                        step = me.prepare.broadcast(std::span(&value, 1), 1);
                    }
                    if (me.rank() != 0) {
                        return await(is_told, true);
                    }
                    const Thrown told = thrown_by([&] {
                        step.start();
                        step.wait();
                    });
                    is_told = true;
                    CHECK(told.kind == Kind::timeout);
                });
}

TEST_CASE("of several operations the one that is waited for is named, with its line if that is known") {
    const FastClock clock(4);
    Team team(2, {.placement = Placement::none, .group = {.timeout = 100ms}});
    const Ended started = late_member(team, 1, [](Member& me) {
        std::vector<int> one(1);
        Request sums = me.start.allreduce(one, sum);
        Request barrier = me.start.barrier();
        sums.wait();
        barrier.wait();
    });
    CHECK(mentions(started.run.text, "in started operation 1, allreduce"));
    CHECK(!mentions(started.run.text, "at late_members_test.cpp")); // that of the last one is known
    const std::string text = run(team, [](Member& me) {
                                 std::vector<int> one(1);
                                 Persistent sums = me.prepare.allreduce(one, sum);
                                 Persistent barrier = me.prepare.barrier();
                                 Persistent& first =
                                     me.rank() == 0 ? sums : barrier; // the other waits in vain
                                 first.start();
                                 first.wait();
                             }).run.text;
    INFO(text);
    CHECK((mentions(text, "waited 100 ms in prepared operation 1, allreduce") ||
           mentions(text, "waited 100 ms in prepared operation 2, barrier")));
    CHECK(mentions(text, "1 of 2 members is not there: member "));
    CHECK((mentions(text, " has not started it as often") || mentions(text, " is in prepared operation ")));
}

TEST_CASE("members that wait for the one that is late are told apart from it") {
    const FastClock clock(6);
    Team team(3, {.placement = Placement::none, .group = {.timeout = 300ms}});
    const Ended outcome = late_member(team, 1, [](Member& me) {
        std::vector<int> one(1);
        me.start.scan(one, sum).wait(); // in which nobody waits for member 2
        me.barrier();
    });
    check_thrown(outcome.run, Kind::timeout, {"member 1 has made no call yet"});
    CHECK(!mentions(outcome.run.text, "member 2 has made no call yet"));
}

TEST_CASE("a member that has started an operation and neither tests nor waits is named") {
    const FastClock clock(2);
    Team team(3, {.placement = Placement::none, .group = {.timeout = 300ms}});
    const std::string says =
        "all members have come to it; member 2 has not tested or waited since it started it";
    for (const bool is_persistent : {false, true}) {
        std::barrier<> both(2);
        std::atomic<bool> is_started{false};
        std::atomic<bool> is_told{false};
        const Ended outcome = run(team, [&](Member& me) {
            const std::vector<int> in(300'000, me.rank());
            std::vector<int> out(in.size());
            Request request;
            Persistent prepared = me.prepare.alltoall(in, out);
            const auto start = [&] {
                if (is_persistent) {
                    prepared.start();
                } else {
                    request = me.start.alltoall(in, out);
                }
            };
            if (me.rank() != 2) {
                await(is_started, true); // so that member 2 has more to do
                start();
                both.arrive_and_wait();
                const Thrown thrown = thrown_by([&] { is_persistent ? prepared.wait() : request.wait(); });
                is_told = true;
                check_thrown(thrown, Kind::timeout, {says});
                return;
            }
            start();
            is_started = true;
            await(is_told, true); // busy with something else
        });
        CHECK(mentions(outcome.run.text, says));
    }
}

TEST_CASE("a late member that has made calls of another kind is not told to have made none") {
    Team team(2, {.placement = Placement::none, .group = {.timeout = 50ms}});
    std::atomic<bool> is_told{false};
    const Ended outcome = run(team, [&](Member& me) {
        me.barrier();
        if (me.rank() == 0) {
            check_thrown(thrown_by([&] { me.start.barrier().wait(); }), Kind::timeout,
                         {"member 1 has come to operation 1, barrier"});
            is_told = true;
        }
        await(is_told, true);
    });
}

TEST_CASE("members that wait for seats that nobody takes are told which") {
    const FastClock clock(6);
    for (const Wait wait : all_waits) {
        check_told(Group(4, {.wait = wait, .join_timeout = 300ms}), 2,
                   "members 2, 3 have not joined within 300 ms", make_barrier);
    }
    // The list is short.
    check_told(Group(64, {.join_timeout = 1000ms}), 1, "members 1-63 have not joined within 1 s",
               make_barrier);
}

TEST_CASE("so is one that looks at a vector of theirs, and those that wait for that one, or for operations") {
    const Part all[] = {
        [](Member& me) {
            std::vector<double> x(10000);
            me.allreduce(x, sum, {.algorithm = "ring"});
        },
        [](Member& me) {
            int x = 1;
            me.start.allreduce(std::span(&x, 1), sum).wait();
        },
        [](Member& me) {
            Request request = me.start.barrier();
            while (!request.test()) {
            }
        },
        [](Member& me) {
            Request request = me.start.barrier();
            progress_until([&] { return request.test(); });
        },
        [](Member& me) {
            int x = 1;
            Persistent step = me.prepare.allreduce(std::span(&x, 1), sum);
            step.start();
            step.wait();
        },
        [](Member& me) { static_cast<void>(me.split(0, 0)); },
    };
    const FastClock clock(6);
    for (const Part& act : all) {
        check_told(Group(4, {.join_timeout = 300ms}), 3, "member 3 has not joined within 300 ms", act);
    }
}

TEST_CASE("a seat may be taken late") {
    for (const Timeout& timeout : {Timeout(), Timeout(never)}) {
        for (const Wait wait : all_waits) {
            Group group(3, {.wait = wait, .join_timeout = timeout});
            on_threads(3, [&](int rank) {
                std::this_thread::sleep_for(20ms * rank);
                group.run(rank, [](Member& me) { CHECK(me.allreduce(1, sum) == 3); });
            });
        }
    }
}

TEST_CASE("a member that has taken its seat may come to a call as late as it likes") {
    const FastClock clock(4);
    Group group(2, {.join_timeout = 1ms});
    for (int region = 0; region < 3; ++region) {
        std::atomic<int> there = 0;
        const auto part = [&](Member& me) {
            ++there;
            await(there, 2);
            if (me.rank() == region % 2) {
                test::sleep_for(20ms);
            }
            me.barrier();
        };
        for (const Thrown& each : run_threads(group, 2, part)) {
            check_thrown(each, Kind::nothing);
        }
    }
}
