// Requests and persistent operations of members: which of them have an operation, waits with a limit, several
// at a time, and failures that functions are told of.

#include "support.hpp"

namespace {

static_assert(!std::convertible_to<Request, AsyncRequest> && !std::convertible_to<AsyncRequest, Request>);
static_assert(!std::copyable<Request> && std::movable<Request> && std::movable<AsyncRequest>);
static_assert(noexcept(std::declval<const Request&>().valid()));
static_assert(std::is_nothrow_move_constructible_v<Request>);
static_assert(std::default_initializable<Persistent> && std::movable<Persistent>);

/// Two members: the second one makes as many barriers, nonblocking or all of them persistent and then one
/// more, when the first one says so.
void run_pair(const std::function<void(Member&, std::atomic<bool>&)>& first, int barriers,
              bool has_persistent = false) {
    Team team(2, {.placement = "none"});
    std::atomic<bool> may_go_on{false};
    team.run([&](Member& me) {
        if (me.rank() == 0) {
            first(me, may_go_on);
            return;
        }
        await(may_go_on, true);
        Request request = me.start.barrier();
        if (has_persistent) {
            Persistent step = me.prepare.barrier();
            step.start();
            wait_all(request, step);
        }
        request.wait();
        for (int more = 1; more < barriers; ++more) {
            me.start.barrier().wait();
        }
    });
}

} // namespace

TEST_CASE("a request has an operation until it is moved from or emptied") {
    run_members(2, [](Member& me) {
        Request request;
        CHECK(!request.valid());
        CHECK((request.test() && request.wait_for(0s) && request.wait_for(1h)));
        request = me.start.barrier();
        CHECK(request.valid());
        request.wait();
        CHECK(request.valid()); // complete, and still its own
        Request other = std::move(request);
        CHECK(!request.valid()); // NOLINT(bugprone-use-after-move)
        CHECK(other.valid());
        std::array<Request, 1> one{std::move(other)};
        CHECK(wait_any(one) == 0);
        CHECK(!one[0].valid());
        Persistent step = me.prepare.barrier();
        CHECK(step.valid());
        CHECK(step.test()); // it has never been started
        const Persistent moved = std::move(step);
        CHECK(!step.valid()); // NOLINT(bugprone-use-after-move)
    });
}

TEST_CASE("a persistent operation can be a member that is assigned later") {
    run_members(2, [](Member& me) {
        Persistent step;
        int value = 1;
        int sum_of_all = 0;
        std::vector<int> buffer(2);
        CHECK(!step.valid());
        CHECK((step.test() && step.wait_for(1h)));
        step.wait();
        for (const auto& start :
             std::vector<std::function<void()>>{[&] { step.start(); }, [&] { step.start(value, sum_of_all); },
                                                [&] { step.start(buffer); }}) {
            check_thrown(thrown_by(start), Kind::error, {"the object is empty", "Member::prepare"});
        }
        step = me.prepare.allreduce(value, sum_of_all, sum);
        CHECK(step.valid());
        step.start();
        step.wait();
        CHECK(sum_of_all == 2);
    });
}

TEST_CASE("a wait ends when its time is over, and the operation goes on") {
    const auto first = [](Member& me, std::atomic<bool>& may_go_on) {
        Request request = me.start.barrier();
        Persistent step = me.prepare.barrier();
        step.start();
        for (const bool is_persistent : {false, true}) {
            const auto wait = [&](auto time) {
                return is_persistent ? step.wait_for(time) : request.wait_for(time);
            };
            CHECK(!wait(0ms));
            CHECK(!wait(-1h));
            CHECK(!wait(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())));
            const auto begin = std::chrono::steady_clock::now();
            CHECK(!wait(20ms));
            CHECK(std::chrono::steady_clock::now() - begin >= 20ms);
        }
        may_go_on = true;
        CHECK(request.wait_for(std::chrono::hours::max())); // longer than the clock lasts
        CHECK(step.wait_for(never));
        CHECK(request.wait_for(0ns));
    };
    run_pair(first, 1, true);
}

TEST_CASE("a wait with a limit lets all operations of the thread progress, and calls functions") {
    run_members(2, [](Member& me) {
        Member other = me.dup();
        Request first = other.start.barrier();
        Request second = me.start.barrier();
        int called = 0;
        first.then([&](const std::exception_ptr& failure) { called += failure == nullptr ? 1 : 1000; });
        if (me.rank() == 0) {
            while (!second.wait_for(1ms)) {
            }
            while (!first.wait_for(1ms)) {
            }
        } else {
            wait_all(first, second);
        }
        CHECK(called == 1);
    });
}

TEST_CASE("after a wait whose time is over, a member makes the call that the others wait for") {
    // Nobody may find that the two wait for each other.
    run_members(2, [](Member& me) {
        Member other = me.dup();
        if (me.rank() == 0) {
            Request request = me.start.barrier();
            CHECK(!request.wait_for(100ms));
            other.barrier();
            request.wait();
        } else {
            other.barrier();
            me.start.barrier().wait();
        }
    });
}

TEST_CASE("test_any and wait_any empty one complete request at a time") {
    const auto first = [](Member& me, std::atomic<bool>& may_go_on) {
        std::array<Request, 4> requests;
        CHECK(test_any(requests) == requests.size()); // all are empty
        requests[1] = me.start.barrier();
        requests[2] = me.start.barrier();
        CHECK(test_any(requests) == std::nullopt);
        CHECK(!test_all(requests));
        may_go_on = true;
        std::array<int, 4> seen{};
        for (std::optional<std::size_t> index = wait_any(requests); index != requests.size();
             index = test_any(requests)) {
            if (index) {
                ++seen[*index];
                CHECK(!requests[*index].valid());
            }
        }
        CHECK(seen == std::array<int, 4>{0, 1, 1, 0});
        CHECK(wait_any(requests) == requests.size());
        CHECK(test_all(requests));
    };
    run_pair(first, 2);
}

TEST_CASE("test_all takes a range, or requests of several kinds, and leaves them their operations") {
    const auto first = [](Member& me, std::atomic<bool>& may_go_on) {
        AsyncGroup meeting(1);
        Request empty;
        Request request = me.start.barrier();
        Persistent step = me.prepare.barrier();
        AsyncRequest arrived = meeting.at(0).barrier();
        const std::span steps(&step, 1);
        CHECK(test_all(steps)); // it has never been started
        step.start();
        CHECK(!test_all(steps));
        CHECK(test_all());
        CHECK(test_all(empty, arrived));
        CHECK(!test_all(request, empty));
        CHECK(!test_all(arrived, step));
        may_go_on = true;
        while (!test_all(request, step, arrived, empty)) {
        }
        CHECK((request.valid() && step.valid() && arrived.valid()));
    };
    run_pair(first, 1, true);
}

TEST_CASE("a request of several that has failed is emptied") {
    for (const bool waits : {false, true}) {
        Team team(2, {.placement = "none"});
        std::atomic<bool> has_started{false};
        run(team, [&](Member& me) {
            if (me.rank() == 1) {
                await(has_started, true);
                throw std::runtime_error("broken");
            }
            std::array<Request, 3> requests{me.start.barrier(), Request(), me.start.barrier()};
            has_started = true;
            int told = 0;
            for (std::optional<std::size_t> index; index != requests.size();) {
                const Thrown thrown =
                    thrown_by([&] { index = waits ? wait_any(requests) : test_any(requests); });
                told += thrown.kind == Kind::aborted ? 1 : 0;
                CHECK((thrown.kind == Kind::nothing || mentions(thrown.text, "broken")));
            }
            CHECK(told == 2);
            CHECK(!requests[0].valid());
            CHECK(!requests[2].valid());
        });
        check_usable(team);
    }
}

TEST_CASE("a function is told of the failure of its operation before the member is") {
    enum class By { wait, test, wait_for, destroys, then };
    for (const By by : {By::wait, By::test, By::wait_for, By::destroys, By::then}) {
        for (const bool is_persistent : {false, true}) {
            INFO(static_cast<int>(by), is_persistent);
            Team team(2, {.placement = "none"});
            std::atomic<bool> has_started{false};
            int called = 0;
            Thrown told;
            const auto tell = [&](const std::exception_ptr& failure) {
                ++called;
                told = thrown_by([&] { failure != nullptr ? std::rethrow_exception(failure) : void(); });
            };
            const auto end = [&](auto request) {
                if (by != By::then) {
                    request.then(tell);
                }
                has_started = true;
                const Thrown thrown = thrown_by([&] {
                    while (by == By::test ? !request.test() : by == By::wait_for && !request.wait_for(1ms)) {
                    }
                    by == By::wait || by == By::then ? request.wait() : void();
                });
                if (by != By::destroys) {
                    CHECK(thrown.kind == Kind::aborted);
                    CHECK(called == (by == By::then ? 0 : 1));
                }
                if (by == By::then) {
                    request.then(tell); // at once
                    CHECK(called == 1);
                }
            };
            run(team, [&](Member& me) {
                Persistent step = me.prepare.barrier();
                if (me.rank() == 1) {
                    await(has_started, true);
                    throw std::runtime_error("broken");
                }
                if (is_persistent) {
                    step.start();
                    end(std::move(step));
                } else {
                    end(me.start.barrier());
                }
            });
            CHECK(called == 1);
            check_thrown(told, Kind::aborted, {"broken"});
            check_usable(team);
        }
    }
}

TEST_CASE("an empty request calls its function at once") {
    int called = 0;
    Request().then([&](const std::exception_ptr& failure) { called += failure == nullptr ? 1 : 1000; });
    CHECK(called == 1);
    const std::function<void(std::exception_ptr)> none;
    CHECK(thrown_by([&] { Request().then(none); }).kind == Kind::argument);
}

TEST_CASE("progress_until needs a condition") {
    check_thrown(thrown_by([] { progress_until({}); }), Kind::argument, {"`ready`"});
}
