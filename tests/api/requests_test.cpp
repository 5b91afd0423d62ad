// Requests of members: which of them have an operation, waits with a limit, several at a time, and failures
// that functions are told of.

#include "support.hpp"

#include <tutti/async_group.hpp>

using namespace tutti;
using namespace std::chrono_literals;
using namespace tutti::test;

namespace {

static_assert(!std::convertible_to<Request, AsyncRequest> && !std::convertible_to<AsyncRequest, Request>);
static_assert(!std::copyable<Request> && std::movable<Request> && std::movable<AsyncRequest>);
static_assert(noexcept(std::declval<const Request&>().valid()));
static_assert(std::is_nothrow_move_constructible_v<Request>);
static_assert(std::default_initializable<Persistent> && std::movable<Persistent>);

Thrown thrown_as(const std::exception_ptr& failure) {
    return thrown_by([&] {
        if (failure != nullptr) {
            std::rethrow_exception(failure);
        }
    });
}

void wait_until_set(const std::atomic<bool>& flag) {
    while (!flag) {
        std::this_thread::yield();
    }
}

/// Two members, of which the second does something when the first says so.
void run_pair(const std::function<void(Member&, std::atomic<bool>&)>& first,
              const std::function<void(Member&)>& second) {
    Team team(2, {.placement = "none"});
    std::atomic<bool> may_go_on{false};
    team.run([&](Member& me) {
        if (me.rank() == 0) {
            first(me, may_go_on);
        } else {
            wait_until_set(may_go_on);
            second(me);
        }
    });
}

} // namespace

TEST_CASE("a request has an operation until it is moved from or emptied") {
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
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
    struct Solver {
        Persistent step;
    };
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
        Solver solver;
        int value = 1;
        int sum_of_all = 0;
        std::vector<int> buffer(2);
        CHECK(!solver.step.valid());
        CHECK((solver.step.test() && solver.step.wait_for(1h)));
        solver.step.wait();
        for (const auto& start : std::vector<std::function<void()>>{
                 [&] { solver.step.start(); }, [&] { solver.step.start(value, sum_of_all); },
                 [&] { solver.step.start(buffer); }}) {
            const Thrown thrown = thrown_by(start);
            CHECK(thrown.kind == Thrown::Kind::error);
            CHECK(mentions(thrown.text, "the object is empty"));
            CHECK(mentions(thrown.text, "Member::prepare"));
        }
        solver.step = me.prepare.allreduce(value, sum_of_all, sum);
        CHECK(solver.step.valid());
        solver.step.start();
        solver.step.wait();
        CHECK(sum_of_all == 2);
    });
}

TEST_CASE("a wait ends when its time is over, and the operation goes on") {
    run_pair(
        [](Member& me, std::atomic<bool>& may_go_on) {
            Request request = me.start.barrier();
            Persistent step = me.prepare.barrier();
            step.start();
            for (const bool is_persistent : {false, true}) {
                const auto wait_for = [&](auto time) {
                    return is_persistent ? step.wait_for(time) : request.wait_for(time);
                };
                CHECK(!wait_for(0ms));
                CHECK(!wait_for(-1h));
                CHECK(!wait_for(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())));
                const auto begin = std::chrono::steady_clock::now();
                CHECK(!wait_for(20ms));
                CHECK(std::chrono::steady_clock::now() - begin >= 20ms);
            }
            may_go_on = true;
            CHECK(request.wait_for(std::chrono::hours::max())); // longer than the clock lasts
            CHECK(step.wait_for(never));
            CHECK(request.wait_for(0ns));
        },
        [](Member& me) {
            Request request = me.start.barrier();
            Persistent step = me.prepare.barrier();
            step.start();
            wait_all(request, step);
        });
}

TEST_CASE("a wait with a limit lets all operations of the thread progress, and calls functions") {
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
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
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
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

TEST_CASE("test_any empties one complete request at a time") {
    run_pair(
        [](Member& me, std::atomic<bool>& may_go_on) {
            std::array<Request, 4> requests;
            CHECK(test_any(requests) == requests.size()); // all are empty
            requests[1] = me.start.barrier();
            requests[2] = me.start.barrier();
            CHECK(test_any(requests) == std::nullopt);
            CHECK(!test_all(requests));
            may_go_on = true;
            std::array<int, 4> seen{};
            for (std::optional<std::size_t> index = test_any(requests); index != requests.size();
                 index = test_any(requests)) {
                if (index) {
                    ++seen[*index];
                    CHECK(!requests[*index].valid());
                }
            }
            CHECK(seen == std::array<int, 4>{0, 1, 1, 0});
            CHECK(wait_any(requests) == requests.size());
            CHECK(test_all(requests));
        },
        [](Member& me) {
            me.start.barrier().wait();
            me.start.barrier().wait();
        });
}

TEST_CASE("test_all takes requests and persistent operations, and leaves them their operations") {
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
        std::vector<Request> requests(3);
        requests[0] = me.start.barrier();
        requests[2] = me.start.barrier();
        while (!test_all(requests)) {
        }
        CHECK(requests[0].valid());
        std::vector<Persistent> steps;
        steps.push_back(me.prepare.barrier());
        CHECK(test_all(steps));
        steps[0].start();
        while (!test_all(steps)) {
        }
    });
}

TEST_CASE("test_all takes requests of several kinds one by one") {
    run_pair(
        [](Member& me, std::atomic<bool>& may_go_on) {
            AsyncGroup meeting(1);
            Request empty;
            Request request = me.start.barrier();
            Persistent step = me.prepare.barrier();
            AsyncRequest arrived = meeting.at(0).barrier();
            step.start();
            CHECK(test_all());
            CHECK(test_all(empty, arrived));
            CHECK(!test_all(request, empty));
            CHECK(!test_all(arrived, step));
            may_go_on = true;
            while (!test_all(request, step, arrived, empty)) {
            }
            CHECK((request.valid() && step.valid() && arrived.valid()));
        },
        [](Member& me) {
            Request request = me.start.barrier();
            Persistent step = me.prepare.barrier();
            step.start();
            wait_all(request, step);
        });
}

TEST_CASE("a request of several that has failed is emptied") {
    for (const bool waits : {false, true}) {
        Team team(2, {.placement = "none"});
        std::atomic<bool> has_started{false};
        run(team, [&](Member& me) {
            if (me.rank() == 1) {
                wait_until_set(has_started);
                throw std::runtime_error("broken");
            }
            std::array<Request, 3> requests{me.start.barrier(), Request(), me.start.barrier()};
            has_started = true;
            int told = 0;
            for (std::optional<std::size_t> index; index != requests.size();) {
                const Thrown thrown =
                    thrown_by([&] { index = waits ? wait_any(requests) : test_any(requests); });
                told += thrown.kind == Thrown::Kind::aborted ? 1 : 0;
                CHECK((thrown.kind == Thrown::Kind::nothing || mentions(thrown.text, "broken")));
            }
            CHECK(told == 2);
            CHECK(!requests[0].valid());
            CHECK(!requests[2].valid());
        });
        test::check_usable(team);
    }
}

TEST_CASE("a function is told of the failure of its operation before the member is") {
    enum class By { wait, test, wait_for, destroys, then };
    for (const By by : {By::wait, By::test, By::wait_for, By::destroys, By::then}) {
        for (const bool is_persistent : {false, true}) {
            Team team(2, {.placement = "none"});
            std::atomic<bool> has_started{false};
            int called = 0;
            Thrown told;
            run(team, [&](Member& me) {
                Persistent step = me.prepare.barrier();
                if (me.rank() == 1) {
                    wait_until_set(has_started);
                    throw std::runtime_error("broken");
                }
                const auto tell = [&](const std::exception_ptr& failure) {
                    ++called;
                    told = thrown_as(failure);
                };
                const auto end = [&](auto request) {
                    if (by != By::then) {
                        request.then(tell);
                    }
                    has_started = true;
                    const Thrown thrown = thrown_by([&] {
                        switch (by) {
                        case By::test:
                            while (!request.test()) {
                            }
                            break;
                        case By::wait_for:
                            while (!request.wait_for(1ms)) {
                            }
                            break;
                        case By::destroys:
                            break;
                        default:
                            request.wait();
                        }
                    });
                    if (by != By::destroys) {
                        CHECK(thrown.kind == Thrown::Kind::aborted);
                        CHECK(called == (by == By::then ? 0 : 1));
                    }
                    if (by == By::then) {
                        request.then(tell); // at once
                        CHECK(called == 1);
                    }
                };
                if (is_persistent) {
                    step.start();
                    end(std::move(step));
                } else {
                    end(me.start.barrier());
                }
            });
            CAPTURE(static_cast<int>(by));
            CAPTURE(is_persistent);
            CHECK(called == 1);
            CHECK(told.kind == Thrown::Kind::aborted);
            CHECK(mentions(told.text, "broken"));
            test::check_usable(team);
        }
    }
}

TEST_CASE("an empty request calls its function at once") {
    int called = 0;
    Request().then([&](const std::exception_ptr& failure) { called += failure == nullptr ? 1 : 1000; });
    CHECK(called == 1);
    const std::function<void(std::exception_ptr)> none;
    CHECK(thrown_by([&] { Request().then(none); }).kind == Thrown::Kind::argument);
}

TEST_CASE("a wait with a limit is for the thread of the member") {
    run_pair(
        [](Member& me, std::atomic<bool>& may_go_on) {
            Request request = me.start.barrier();
            std::string text;
            std::thread([&] { text = thrown_by([&] { request.wait_for(1ms); }).text; }).join();
            CHECK(mentions(text, "wait_for: called by another thread"));
            may_go_on = true;
        },
        [](Member& me) { me.start.barrier().wait(); });
}

TEST_CASE("progress_until needs a condition") {
    const Thrown thrown = test::thrown_by([] { progress_until({}); });
    CHECK(thrown.kind == Thrown::Kind::argument);
    CHECK(mentions(thrown.text, "`ready`"));
}
