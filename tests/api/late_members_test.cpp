// Members that come late or never: what those are told that wait for them.

#include "../fast_clock.hpp"
#include "../on_threads.hpp"
#include "../reference/each.hpp"
#include "support.hpp"
#include "ways.hpp"

using namespace tutti;
using namespace std::chrono_literals;
using namespace tutti::test;

namespace {

/// A collective in which somebody waits for `late`.
template <class Me>
void call(Me& me, Collective collective, std::size_t n, int late) {
    test::Operands<double> operands(me.size(), n);
    test::make_at_once(me, [&](auto& way) {
        return test::call(way, collective, operands, sum, late, (late + 1) % me.size());
    });
}

using Call = std::function<void(Member& me, Collective collective, std::size_t n, int late)>;

const std::vector<Call>& ways() {
    static const std::vector<Call> list{
        [](Member& me, Collective collective, std::size_t n, int late) { call(me, collective, n, late); },
        [](Member& me, Collective collective, std::size_t n, int late) {
            test::AtOnce started(me.start, me);
            call(started, collective, n, late);
        },
        [](Member& me, Collective collective, std::size_t n, int late) {
            test::AtOnce prepared(me.prepare, me);
            call(prepared, collective, n, late);
        }};
    return list;
}

/// The times from a timeout to when a member was told. Measured, and reported; never judged.
class Delays {
public:
    explicit Delays(std::chrono::milliseconds timeout) : timeout_(timeout) {}

    /// Makes a call, which waits from its beginning.
    template <class Act>
    void in(Act act) {
        const auto began = std::chrono::steady_clock::now();
        try {
            act();
        } catch (const TimeoutError&) {
            const auto delay = std::chrono::steady_clock::now() - began - timeout_;
            const std::scoped_lock lock(mutex_);
            delays_.push_back(std::chrono::duration<double, std::milli>(delay).count());
            throw;
        }
    }
    void report(const std::string& what) {
        std::ranges::sort(delays_);
        MESSAGE(what << ": told " << delays_[delays_.size() / 2] << " ms after the timeout in the middle, "
                     << delays_.back() << " ms at most of " << delays_.size());
    }

private:
    std::chrono::milliseconds timeout_;
    std::mutex mutex_;
    std::vector<double> delays_;
};

} // namespace

TEST_CASE("who waits for a seat that nobody takes is told so in every collective") {
    for (const int members : test::reduced ? std::vector<int>{3} : std::vector<int>{2, 3, 5, 9}) {
        constexpr auto timeout = 30ms;
        Delays delays(timeout);
        for (const Call& way : ways()) {
            for (const Collective collective : detail::all_collectives) {
                const int absent = members - 1;
                if (detail::traits_of(collective).is_prefix()) {
                    continue; // nobody waits for the last one of a scan
                }
                Group group(members, {.timeout = timeout});
                std::vector<Thrown> thrown(static_cast<std::size_t>(absent));
                std::atomic<int> joined{0};
                on_threads(absent, [&](int rank) {
                    thrown[static_cast<std::size_t>(rank)] = thrown_by([&] {
                        group.run(rank, [&](Member& me) {
                            ++joined;
                            while (joined < absent) {
                                std::this_thread::yield();
                            }
                            delays.in([&] { way(me, collective, 1, absent); });
                            delays.in([&] { me.barrier(); }); // some have had nothing to wait for
                        });
                    });
                });
                CAPTURE(members);
                CAPTURE(to_string(collective));
                for (const Thrown& each : thrown) {
                    INFO(each.text);
                    CHECK(each.kind == Thrown::Kind::timeout);
                    CHECK(mentions(each.text, "member " + std::to_string(absent) + " has not joined"));
                }
            }
        }
        delays.report(std::to_string(members) + " members, one never joins");
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
    INFO(outcome.run.text);
    CHECK(mentions(outcome.run.text, "has waited 300 ms in operation 1, barrier"));
    CHECK(mentions(outcome.run.text, "at last for member 2"));
    CHECK(mentions(outcome.run.text, "1 of 4 members is not there: member 2 has made no call yet"));
}

TEST_CASE("a seat that nobody takes is named") {
    Group group(3, {.timeout = 300ms});
    std::vector<Thrown> thrown(2);
    on_threads(2, [&](int rank) {
        thrown[static_cast<std::size_t>(rank)] =
            thrown_by([&] { group.run(rank, [](Member& me) { me.barrier(); }); });
    });
    for (const Thrown& each : thrown) {
        INFO(each.text);
        CHECK(each.kind == Thrown::Kind::timeout);
        CHECK(mentions(each.text, "1 of 3 members is not there: member 2 has not joined. Every rank"));
    }
}

TEST_CASE("tasks that block, on a pool with fewer workers, are told") {
    Group group(4, {.timeout = 100ms});
    std::vector<Thrown> thrown(4);
    const auto task = [&](int rank) {
        thrown[static_cast<std::size_t>(rank)] =
            thrown_by([&] { group.run(rank, [](Member& me) { me.barrier(); }); });
    };
    on_threads(2, [&](int worker) {
        task(worker);
        task(worker + 2);
    });
    for (const Thrown& each : thrown) {
        INFO(each.text);
        // Those that come when others have been told are told by join().
        CHECK((each.kind == Thrown::Kind::timeout || each.kind == Thrown::Kind::aborted));
        CHECK(mentions(each.text, "member 2 has not joined; member 3 has not joined. Every rank"));
        CHECK(mentions(each.text, "the size of a pool"));
    }
}

TEST_CASE("of two jobs that wait for each other on one pool at least one gives way") {
    Group jobs[2] = {Group(2, {.timeout = 100ms}), Group(2, {.timeout = 100ms})};
    std::vector<Thrown> thrown(4);
    const auto task = [&](int job, int rank) {
        thrown[static_cast<std::size_t>(2 * job + rank)] =
            thrown_by([&] { jobs[job].run(rank, [](Member& me) { me.barrier(); }); });
    };
    on_threads(2, [&](int worker) {
        task(worker, 0);
        task(1 - worker, 1);
    });
    bool is_told = false;
    for (const Thrown& each : thrown) {
        INFO(each.text);
        // The other job's member may come at this very moment.
        CHECK((each.kind == Thrown::Kind::nothing || mentions(each.text, "member 1 has not joined") ||
               mentions(each.text, "member 1 has made no call yet") ||
               mentions(each.text, "all members have come to it")));
        is_told = is_told || each.kind == Thrown::Kind::timeout;
    }
    CHECK(is_told);
}

TEST_CASE("a member that joins and leaves without a call is named") {
    Group group(2, {.timeout = 60s});
    std::thread([&] { group.run(1, [](Member&) {}); }).join();
    const Thrown thrown = thrown_by([&] { group.run(0, [](Member& me) { me.barrier(); }); });
    INFO(thrown.text);
    CHECK(thrown.kind == Thrown::Kind::mismatch);
    CHECK(mentions(thrown.text, "member 1 has returned without calling it"));
}

TEST_CASE(
    "who waits for one that has not started what it has prepared is told as well who has not prepared it") {
    Team team(3, {.placement = "none", .group = {.timeout = 100ms}});
    std::atomic<bool> is_told{false};
    const Thrown thrown = thrown_by([&] {
        team.run([&](Member& me) {
            int value = 1;
            if (me.rank() == 2) {
                is_told.wait(false); // and makes no call
                return;
            }
            Persistent step = me.prepare.broadcast(std::span(&value, 1), 1);
            if (me.rank() == 1) {
                is_told.wait(false);
                return;
            }
            const Thrown told = thrown_by([&] {
                step.start();
                step.wait();
            });
            is_told = true;
            is_told.notify_all();
            CHECK(told.kind == Thrown::Kind::timeout);
        });
    });
    INFO(thrown.text);
    CHECK(mentions(thrown.text, "2 of 3 members are not there: member 2 has made no call yet"));
    CHECK(mentions(thrown.text, "member 1 has not started it as often"));
}

TEST_CASE("a member inside an operator is waited for, and then told") {
    Team team(3, {.placement = "none", .group = {.timeout = 300ms}});
    std::atomic<bool> is_through{false};
    std::vector<Thrown> thrown(3);
    const Thrown run = thrown_by([&] {
        team.run([&](Member& me) {
            const auto slow = [&](int a, int b) {
                if (me.rank() == 0 && !is_through) {
                    const test::FastClock clock(10);
                    test::sleep_for(1s);
                    is_through = true;
                }
                return a + b;
            };
            const std::vector<int> mine(1000, 1);
            std::vector<int> out(1000);
            thrown[static_cast<std::size_t>(me.rank())] = thrown_by([&] {
                me.reduce(mine, out, slow, 0);
                me.barrier();
            });
            CHECK(is_through); // the vectors of the others were in use until then
        });
    });
    CHECK(run.kind == Thrown::Kind::timeout);
    for (const Thrown& each : thrown) {
        INFO(each.text);
        CHECK(each.kind == Thrown::Kind::timeout);
        CHECK(mentions(each.text, "at last for member 0"));
    }
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
    const Thrown prepared = thrown_by([&] {
        team.run([](Member& me) {
            std::vector<int> one(1);
            Persistent sums = me.prepare.allreduce(one, sum);
            Persistent barrier = me.prepare.barrier();
            Persistent& first = me.rank() == 0 ? sums : barrier; // for which the other waits in vain
            first.start();
            first.wait();
        });
    });
    INFO(prepared.text);
    CHECK((mentions(prepared.text, "waited 100 ms in prepared operation 1, allreduce") ||
           mentions(prepared.text, "waited 100 ms in prepared operation 2, barrier")));
    CHECK(mentions(prepared.text, "1 of 2 members is not there: member "));
    CHECK((mentions(prepared.text, " has not started it as often") ||
           mentions(prepared.text, " is in prepared operation ")));
}

TEST_CASE("members that wait for the one that is late are told apart from it") {
    Team team(3, {.placement = "none", .group = {.timeout = 300ms}});
    const Ended outcome = late_member(team, 1, [](Member& me) {
        std::vector<int> one(1);
        me.start.scan(one, sum).wait(); // in which nobody waits for member 2
        me.barrier();
    });
    INFO(outcome.run.text);
    CHECK(outcome.run.kind == Thrown::Kind::timeout);
    CHECK((mentions(outcome.run.text, "member 1 has made no call yet")));
    CHECK(!mentions(outcome.run.text, "member 2 has made no call yet"));
}

TEST_CASE("a member that has started an operation and neither tests nor waits is named") {
    Team team(3, {.placement = "none", .group = {.timeout = 50ms}});
    std::atomic<bool> is_started{false};
    std::atomic<bool> is_told{false};
    const Ended outcome = run(team, [&](Member& me) {
        const std::vector<int> in(300'000, me.rank());
        std::vector<int> out(in.size());
        if (me.rank() != 2) {
            is_started.wait(false); // so that member 2 has more to do
            const Thrown thrown = thrown_by([&] { me.start.alltoall(in, out).wait(); });
            is_told = true;
            is_told.notify_all();
            CHECK(thrown.kind == Thrown::Kind::timeout);
            CHECK(mentions(thrown.text, "member 2 has not tested or waited since it started it"));
            return;
        }
        Request request = me.start.alltoall(in, out);
        is_started = true;
        is_started.notify_all();
        is_told.wait(false); // busy with something else
    });
    INFO(outcome.run.text);
    CHECK(mentions(outcome.run.text, "member 2 has not tested or waited since it started it"));
}
