// Members that come late or never: what those are told that wait for them.

#include "../fast_clock.hpp"
#include "../reference/each.hpp"
#include "support.hpp"

namespace {

void make_barrier(Member& me) {
    me.barrier();
}

const std::string absent = "member 2 has not joined";

} // namespace

TEST_CASE("who waits for a seat that nobody takes is told so in every collective") {
    for (const int members : reduced ? std::vector<int>{3} : std::vector<int>{2, 3, 5, 9}) {
        for (const std::size_t way : {0U, 1U, 2U}) {
            for (const Collective collective : detail::all_collectives) {
                const int last = members - 1;
                if (detail::traits_of(collective).is_prefix()) {
                    continue; // nobody waits for the last one of a scan
                }
                Group group(members, {.timeout = 30ms});
                std::atomic<int> joined{0};
                const auto thrown = run_threads(group, last, [&](Member& me) {
                    ++joined;
                    await(joined, last);
                    Operands<double> operands(members, 1);
                    in_every_way(me, [&](auto& caller) { // somebody waits for the last one
                        return call(caller, collective, operands, sum, last, 0);
                    })[way]();
                    me.barrier(); // some have had nothing to wait for
                });
                CAPTURE(members);
                CAPTURE(to_string(collective));
                for (const Thrown& each : thrown) {
                    check_thrown(each, Kind::timeout, {"member " + std::to_string(last) + " has not joined"});
                }
            }
        }
    }
}

TEST_CASE("members that are behind are listed with the last that they have called") {
    Team team(4, {.placement = "none", .group = {.timeout = 300ms}});
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

TEST_CASE("a seat that nobody takes is named") {
    Group group(3, {.timeout = 300ms});
    for (const Thrown& each : run_threads(group, 2, make_barrier)) {
        check_thrown(each, Kind::timeout, {"1 of 3 members is not there: " + absent + ". Every rank"});
    }
}

TEST_CASE("tasks that block, on a pool with fewer workers, are told") {
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
        check_mentions(each.text, {absent + "; member 3 has not joined. Every rank", "the size of a pool"});
    }
}

TEST_CASE("of two jobs that wait for each other on one pool at least one gives way") {
    Group jobs[2] = {Group(2, {.timeout = 100ms}), Group(2, {.timeout = 100ms})};
    std::vector<Thrown> thrown(4);
    const auto task = [&](int job, int rank) {
        thrown[static_cast<std::size_t>(2 * job + rank)] =
            thrown_by([&] { jobs[job].run(rank, make_barrier); });
    };
    on_threads(2, [&](int worker) {
        task(worker, 0);
        task(1 - worker, 1);
    });
    for (const Thrown& each : thrown) {
        INFO(each.text);
        // The other job's member may come at this very moment.
        CHECK((each.kind == Kind::nothing || mentions(each.text, "member 1 has not joined") ||
               mentions(each.text, "member 1 has made no call yet") ||
               mentions(each.text, "all members have come to it")));
    }
    CHECK(std::ranges::count(thrown, Kind::timeout, &Thrown::kind) >= 1);
}

TEST_CASE("a member that joins and leaves without a call is named") {
    Group group(2, {.timeout = 60s});
    std::thread([&] { group.run(1, [](Member&) {}); }).join();
    check_thrown(thrown_by([&] { group.run(0, make_barrier); }), Kind::mismatch,
                 {"member 1 has returned without calling it"});
}

TEST_CASE(
    "who waits for one that has not started what it has prepared is told as well who has not prepared it") {
    Team team(3, {.placement = "none", .group = {.timeout = 100ms}});
    std::atomic<bool> is_told{false};
    check_fails(team, Kind::timeout,
                {"2 of 3 members are not there: member 2 has made no call yet",
                 "member 1 has not started it as often"},
                [&](Member& me) {
                    int value = 1;
                    if (me.rank() == 2) {
                        await(is_told, true); // and makes no call
                        return;
                    }
                    Persistent step = me.prepare.broadcast(std::span(&value, 1), 1);
                    if (me.rank() == 1) {
                        await(is_told, true);
                        return;
                    }
                    const Thrown told = thrown_by([&] {
                        step.start();
                        step.wait();
                    });
                    is_told = true;
                    CHECK(told.kind == Kind::timeout);
                });
}

TEST_CASE("a member inside an operator is waited for, and then told") {
    Team team(3, {.placement = "none", .group = {.timeout = 300ms}});
    std::atomic<bool> is_through{false};
    const Ended ended = run(team, [&](Member& me) {
        const auto slow = [&](int a, int b) {
            if (me.rank() == 0 && !is_through) {
                const FastClock clock(10);
                test::sleep_for(1s);
                is_through = true;
            }
            return a + b;
        };
        const std::vector<int> mine(1000, 1);
        std::vector<int> out(1000);
        const Thrown thrown = thrown_by([&] {
            me.reduce(mine, out, slow, 0);
            me.barrier();
        });
        check_thrown(thrown, Kind::timeout, {"at last for member 0"});
        CHECK(is_through); // the vectors of the others were in use until then
    });
    CHECK(ended.run.kind == Kind::timeout);
}

TEST_CASE(
    "of several operations in flight the one that is waited for is named, with its line if that is known") {
    Team team(2, {.placement = "none", .group = {.timeout = 100ms}});
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
    Team team(3, {.placement = "none", .group = {.timeout = 300ms}});
    const Ended outcome = late_member(team, 1, [](Member& me) {
        std::vector<int> one(1);
        me.start.scan(one, sum).wait(); // in which nobody waits for member 2
        me.barrier();
    });
    check_thrown(outcome.run, Kind::timeout, {"member 1 has made no call yet"});
    CHECK(!mentions(outcome.run.text, "member 2 has made no call yet"));
}

TEST_CASE("a member that has started an operation and neither tests nor waits is named") {
    Team team(3, {.placement = "none", .group = {.timeout = 50ms}});
    std::atomic<bool> is_started{false};
    std::atomic<bool> is_told{false};
    const std::string says = "member 2 has not tested or waited since it started it";
    const Ended outcome = run(team, [&](Member& me) {
        const std::vector<int> in(300'000, me.rank());
        std::vector<int> out(in.size());
        if (me.rank() != 2) {
            await(is_started, true); // so that member 2 has more to do
            const Thrown thrown = thrown_by([&] { me.start.alltoall(in, out).wait(); });
            is_told = true;
            check_thrown(thrown, Kind::timeout, {says});
            return;
        }
        Request request = me.start.alltoall(in, out);
        is_started = true;
        await(is_told, true); // busy with something else
    });
    CHECK(mentions(outcome.run.text, says));
}
