// What fails with operations in flight, or is refused.

#include "coroutines.hpp"
#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int members = 3;

} // namespace

TEST_CASE("wrong arguments are refused on the spot, and the member starts again") {
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
        std::vector<int> in(4, 1);
        std::vector<int> out(4);
        std::vector<int> longer(5);
        const Thrown thrown = thrown_by([&] { Request bad = me.start.allreduce(in, longer, sum); });
        CHECK(thrown.kind == Thrown::Kind::argument);
        CHECK(mentions(thrown.text, "allreduce"));
        Persistent step = me.prepare.allreduce(in, out, sum);
        CHECK(mentions(thrown_by([&] { step.start(in, longer); }).text,
                       "start: `out` has 5 elements, but was prepared with 4"));
        CHECK(mentions(thrown_by([&] { step.start(in); }).text, "prepared with two vectors"));
        CHECK(mentions(thrown_by([&] { step.start(in, in); }).text, "do not overlap as they did"));
        CHECK(mentions(thrown_by([&] { step.start(in, std::span<int>(static_cast<int*>(nullptr), 4)); }).text,
                       "allreduce: `out` has 4 elements but is a null pointer"));
        std::vector<float> other(4);
        CHECK(mentions(thrown_by([&] { step.start(other, other); }).text,
                       "with which the operation was prepared"));
        if (me.rank() == 1) {
            me.barrier();
        }
        step.start();
        if (me.rank() == 0) {
            CHECK(mentions(thrown_by([&] { step.start(); }).text, "still outstanding"));
            me.barrier();
        }
        step.wait();
        CHECK(out[3] == 2);
    });
}

TEST_CASE("operators must not start calls") {
    Team team(2, {.placement = "none"});
    for (const bool blocking : {false, true}) {
        const Ended ended = run(team, [&](Member& me) {
            int one = 1;
            std::vector<int> in(3, 1);
            std::vector<int> out(3);
            const auto starts = [&](int a, int b) {
                Request request = me.start.allreduce(std::span(&one, 1), sum);
                return a + b;
            };
            blocking ? me.allreduce(in, out, starts) : me.start.allreduce(in, out, starts).wait();
        });
        CHECK(mentions(ended.run.text, "called by an operator"));
        CHECK(ended.each.count(Thrown::Kind::nothing) == 0);
        test::check_usable(team);
    }
}

TEST_CASE("another thread cannot use what a member has in flight") {
    Team team(2, {.placement = "none"});
    std::atomic<bool> is_through{false};
    team.run([&](Member& me) {
        std::vector<int> in(5, 1);
        std::vector<int> out(5);
        Request request;
        if (me.rank() == 0) {
            request = me.start.allreduce(in, out, sum);
            std::array<std::string, 2> texts;
            std::thread([&] {
                texts[0] = thrown_by([&] { request.wait(); }).text;
                texts[1] = thrown_by([&] { const Request more = me.start.barrier(); }).text;
            }).join();
            CHECK(mentions(texts[0], "wait: called by another thread"));
            CHECK(mentions(texts[1], "start: called by another thread"));
            is_through = true;
        } else {
            while (!is_through) {
            }
            request = me.start.allreduce(in, out, sum);
        }
        request.wait();
        CHECK(out[0] == 2);
    });
}

TEST_CASE("a failure ends all that is in flight, once and for all, and the next run is whole") {
    Team team(members, {.placement = "none"});
    for (int failing = 0; failing < members; ++failing) {
        std::array<std::vector<Request>, members> kept;
        std::vector<std::vector<int>> vectors(members * 100, std::vector<int>(500, 1));
        const Ended ended = run(team, [&](Member& me) {
            const auto rank = static_cast<std::size_t>(me.rank());
            for (std::size_t i = 0; i < 100; ++i) {
                if (me.rank() == failing && i == 50) {
                    throw std::runtime_error("member gives up");
                }
                kept[rank].push_back(me.start.allreduce(vectors[100 * rank + i], sum));
            }
            wait_all(kept[rank]);
        });
        CHECK(ended.run.text == "member gives up");
        CHECK(ended.each.count(Thrown::Kind::aborted) == members - 1);
        for (auto& requests : kept) {
            for (Request& request : requests) {
                const Thrown again = thrown_by([&] { request.wait(); });
                CHECK((again.kind == Thrown::Kind::aborted || again.kind == Thrown::Kind::nothing));
            }
        }
        kept = {};
        team.run([&](Member& me) {
            std::vector<int> vector(10, 1);
            me.start.allreduce(vector, sum).wait();
            CHECK(vector[0] == members);
        });
        test::check_usable(team);
    }
}

TEST_CASE("after a failure nobody touches the vectors of what has been in flight, and coroutines go on") {
    Team team(2, {.placement = "none"});
    std::atomic<bool> has_failed{false};
    const Ended ended = run(team, [&](Member& me) {
        std::vector<int> in(1000, 1);
        std::vector<int> out(1000);
        if (me.rank() == 1) {
            has_failed = true;
            throw std::runtime_error("broken");
        }
        Request other = me.start.barrier();
        const Task task = one_step(me, in, out);
        while (!has_failed) {
        }
        while (thrown_by([&] { other.test(); }).kind == Thrown::Kind::nothing) {
        }
        // Whichever request was asked, all are over.
        CHECK(mentions(thrown_by([] { progress_until([] { return false; }); }).text,
                       "no outstanding operation"));
        CHECK(task.is_done());
        CHECK(thrown_by([&] { std::rethrow_exception(task.thrown()); }).kind == Thrown::Kind::aborted);
    });
    CHECK(ended.run.text == "broken");
    test::check_usable(team);
}

TEST_CASE("an operator that throws ends the operation for all, who are told why") {
    Team team(members, {.placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        std::vector<int> vector(100, me.rank());
        Request request = me.start.allreduce(vector, [](int a, int b) {
            if (a + b > 0) {
                throw std::runtime_error("no more");
            }
            return a + b;
        });
        me.start.barrier().wait();
        request.wait();
    });
    CHECK(ended.run.text == "no more");
    CHECK(ended.each.count(Thrown::Kind::nothing) == 0);
    test::check_usable(team);
}

TEST_CASE("who fails does not wait for one that computes with operations in flight") {
    Team team(2, {.placement = "none"});
    std::atomic<bool> is_started{false};
    std::atomic<bool> has_failed{false};
    const Ended ended = run(team, [&](Member& me) {
        std::vector<int> vector(10000, 1);
        std::vector<int> other(7);
        const auto operation = [](int, int) -> int { throw std::runtime_error("operator"); };
        Request request = me.start.allreduce(vector, sum);
        if (me.rank() == 0) {
            const Request fails = me.start.allreduce(other, operation);
            is_started = true;
            while (!has_failed) { // computes
            }
            request.wait();
        } else {
            while (!is_started) {
            }
            const Thrown thrown = thrown_by([&] { me.start.allreduce(other, operation).wait(); });
            has_failed = true;
            CHECK(thrown.text == "operator");
        }
    });
    CHECK(ended.run.text == "operator");
    test::check_usable(team);
}
