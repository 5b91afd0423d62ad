// Requests and persistent operations of members: in which order they are waited for, how long operations
// last, and other threads that use them.

#include "../fast_clock.hpp"
#include "coroutines.hpp"
#include "support.hpp"

#include <tutti/bindings.hpp>

#include <semaphore>

namespace {

static_assert(!std::convertible_to<Request, AsyncRequest> && !std::convertible_to<AsyncRequest, Request>);
static_assert(!std::copyable<Request> && std::movable<Request> && std::movable<AsyncRequest>);
static_assert(noexcept(std::declval<const Request&>().valid()));
static_assert(std::is_nothrow_move_constructible_v<Request>);
static_assert(std::default_initializable<Persistent> && std::movable<Persistent>);

void on_another_thread(const std::function<void()>& act) {
    std::thread(act).join();
}

using Act = std::function<void(Member& me, Request& first, Request& second, const std::function<void()>&)>;

/// Member 0 of two starts two operations and runs `act`. What that calls last makes both complete, which
/// shows in the next test. Both members go on after that.
void with_two_complete(const Act& act) {
    Team team(2, {.placement = Placement::none});
    std::atomic<int> started{0};
    team.run([&](Member& me) {
        while (started != me.rank()) {
        }
        std::vector<int> values(2, 1);
        Request first = me.start.allreduce(std::span(&values[0], 1), sum);
        Request second = me.start.allreduce(std::span(&values[1], 1), sum);
        const auto complete = [&] {
            ++started;
            while (started != 2) {
            }
        };
        if (me.rank() == 0) {
            act(me, first, second, complete);
        } else {
            complete();
        }
        int called = 0;
        for (int round = 0; round < 100; ++round) { // what has been destroyed serves for other calls
            int value = 1;
            Request other = me.start.allreduce(std::span(&value, 1), sum);
            other.then([&](const std::exception_ptr& failure) { called += failure == nullptr ? 1 : 0; });
            other.wait();
            CHECK(value == 2);
        }
        CHECK(called == 100);
    });
    team.run([](Member& me) { CHECK(me.allreduce(1, sum) == 2); });
}

} // namespace

TEST_CASE("a persistent operation can be a member that is assigned later") {
    run_members(2, [](Member& me) {
        Persistent step;
        int value = 1;
        int sum_of_all = 0;
        std::vector<int> buffer(2);
        CHECK((!step.valid() && step.test()));
        for (const auto& start :
             std::vector<std::function<void()>>{[&] { step.start(); }, [&] { step.start(value, sum_of_all); },
                                                [&] { step.start(buffer); }}) {
            check_thrown(thrown_by(start), Kind::error, {"the object is empty", "Member::prepare"});
        }
        step = me.prepare.allreduce(value, sum_of_all, sum);
        CHECK((step.valid() && step.test())); // it has never been started
        step.start();
        step.wait();
        CHECK(sum_of_all == 2);
        int other = 3;
        int sum_of_others = 0;
        step.start(other, sum_of_others);
        step.wait();
        other = 4;
        step.start(); // with the buffers of the last start
        step.wait();
        CHECK(sum_of_others == 8);
        CHECK(sum_of_all == 2);
    });
}

TEST_CASE("a thread can have operations of several groups, of which any ends first") {
    run_members(2, [](Member& me) {
        std::array<Member, 4> groups{me.dup(), me.dup(), me.dup(), me.dup()};
        const int one = 1;
        for (std::size_t first = 0; first < 3; ++first) {
            CAPTURE(first);
            std::array<int, 4> sums{};
            std::array<Request, 4> requests;
            const auto start = [&](std::size_t i) {
                requests[i] = groups[i].start.allreduce(one, sums[i], sum);
            };
            if (me.rank() == 0) {
                for (std::size_t i = 0; i < 3; ++i) {
                    start(i);
                }
                me.barrier();
                requests[first].wait();
                start(3);
            } else {
                me.barrier(); // so that no operation of member 0 ends at its start
                start(first);
                requests[first].wait();
            }
            me.barrier();
            for (std::size_t i = 0; i < 4; ++i) {
                if (me.rank() == 1 && i != first) {
                    start(i);
                }
            }
            requests[3].wait();
            wait_all(requests);
            CHECK(sums == std::array{2, 2, 2, 2});
        }
    });
}

TEST_CASE("who waits in one group makes the operations of others progress, also if the wait has a limit") {
    Team team(4, {.placement = Placement::none});
    for (int repetition = 0; repetition < 20; ++repetition) {
        team.run([&](Member& me) {
            Member other = me.dup();
            const std::vector<int> in(5000, me.rank());
            std::vector<int> one(in.size()), two(in.size()), blocking(in.size());
            // Of several exchanges, so that they do not complete by themselves.
            const Options ring{.algorithm = "ring"};
            Request first = me.start.allreduce(in, one, sum, ring);
            Request second = other.start.allreduce(in, two, sum, ring);
            const auto wait = [&](Request& request) {
                while (repetition % 2 != 0 && !request.wait_for(1ms)) {
                }
                request.wait();
            };
            wait(me.rank() % 2 == 0 ? first : second);
            other.allreduce(in, blocking, sum, ring);
            wait(me.rank() % 2 == 0 ? second : first);
            CHECK(one[7] == 6);
            CHECK(two[8] == 6);
            CHECK(blocking[9] == 6);
        });
    }
}

TEST_CASE("after a wait whose time is over, a member makes the call that the others wait for") {
    const FastClock clock(4);
    // Nobody may find that the two wait for each other.
    run_members(2, [](Member& me) {
        Member other = me.dup();
        if (me.rank() == 0) {
            Request request = me.start.barrier();
            CHECK(!request.wait_for(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())));
            CHECK(!request.wait_for(100ms));
            other.barrier();
            CHECK(request.wait_for(std::chrono::hours::max())); // longer than the clock lasts
        } else {
            other.barrier();
            me.start.barrier().wait();
        }
    });
}

TEST_CASE("test_all takes a range, or requests of several kinds, and leaves them their operations") {
    AsyncGroup meeting(1);
    std::atomic<bool> may_go_on{false};
    run_members(2, [&](Member& me) {
        if (me.rank() == 1) {
            await(may_go_on, true);
        }
        Request empty, request = me.start.barrier();
        Persistent step = me.prepare.barrier();
        const std::span steps(&step, 1);
        CHECK(test_all(steps)); // it has never been started
        step.start();
        if (me.rank() == 0) {
            AsyncRequest arrived = meeting.at(0).barrier();
            CHECK(!test_all(steps));
            CHECK(test_all());
            CHECK(test_all(empty, arrived));
            CHECK(!test_all(request, empty));
            CHECK(!test_all(arrived, step));
            may_go_on = true;
            while (!test_all(request, step, arrived, empty)) {
            }
            CHECK((request.valid() && step.valid() && arrived.valid()));
        }
        wait_all(request, step);
    });
}

TEST_CASE("functions and conditions must not be empty") {
    check_rejected("", [] { Request().then(std::function<void(std::exception_ptr)>()); });
    check_rejected("`ready`", [] { progress_until({}); });
}

TEST_CASE("a request waits for its operation when it is assigned to") {
    run_members(3, [](Member& me) {
        std::vector<int> values(3000, me.rank());
        Request request = me.start.allreduce(values, max);
        request = me.start.barrier();
        CHECK(values[2999] == 2);
    });
}

TEST_CASE("a persistent operation waits for the same start of the others, in any order among several") {
    run_members(3, [](Member& me) {
        constexpr int rounds = 50;
        std::array<std::vector<int>, 5> in, out;
        std::vector<Persistent> steps;
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i].assign(10 * i * i * i + 1, 0);
            out[i] = in[i];
            steps.push_back(me.prepare.allreduce(in[i], out[i], sum));
        }
        std::mt19937 random(static_cast<unsigned>(me.rank()));
        std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
        for (int round = 0; round < rounds; ++round) {
            std::ranges::shuffle(order, random);
            for (const std::size_t i : order) {
                std::ranges::fill(in[i], round + static_cast<int>(i));
                steps[i].start();
            }
            wait_all(steps);
            for (std::size_t i = 0; i < in.size(); ++i) {
                CHECK(out[i].back() == 3 * (round + static_cast<int>(i)));
            }
        }
    });
}

TEST_CASE("persistent operations go when nobody needs them, however far apart members drop them") {
    run_members(2, [](Member& me) {
        for (int i = 0; i < 100; ++i) {
            int value = me.rank() == 0 ? i : -1;
            // The root of a small broadcast waits for nobody, so it may be many operations ahead.
            Persistent step = me.prepare.broadcast(std::span(&value, 1), 0);
            step.start();
            step.wait();
            CHECK(value == i);
        }
    });
}

TEST_CASE("operators are copied, and may be anything that can be") {
    run_members(3, [](Member& me) {
        std::vector<Request> requests;
        std::vector<std::vector<int>> vectors(20, std::vector<int>(2, me.rank() + 1));
        for (int factor = 1; factor < 20; ++factor) {
            const std::vector<int> big(10, factor);
            requests.push_back(me.start.allreduce(vectors[static_cast<std::size_t>(factor)],
                                                  [big](int a, int b) { return a + big[5] * b; }));
        }
        const auto add = [](const void* in, void* inout, std::size_t count, void* /*user*/) {
            for (std::size_t i = 0; i < count; ++i) {
                static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
            }
        };
        requests.push_back(
            me.start.allreduce(DynamicVector(4, vectors[0].data(), 2), DynamicOp(add, nullptr, 4, true)));
        wait_all(requests);
        CHECK(vectors[0][1] == 6);
        for (int factor = 1; factor < 20; ++factor) {
            CHECK(vectors[static_cast<std::size_t>(factor)] == std::vector<int>(2, 1 + factor * 5));
        }
    });
}

TEST_CASE("what a member has in flight when its part ends is waited for") {
    Team team(2, {.placement = Placement::none});
    const std::vector<int> in(1000, 1);
    std::array<std::vector<int>, 2> out{std::vector<int>(1000), std::vector<int>(1000)};
    std::array<Request, 2> kept;
    std::array<Persistent, 2> step;
    team.run([&](Member& me) {
        const auto rank = index_of(me);
        kept[rank] = me.start.allreduce(in, out[rank], sum);
        step[rank] = me.prepare.barrier();
    });
    CHECK(out[0] == std::vector<int>(1000, 2));
    CHECK(out[1] == out[0]);
    CHECK(kept[0].test());
    CHECK(mentions(thrown_by([&] { step[0].start(); }).text, "has left"));
    check_usable(team);
}

TEST_CASE("another thread destroys a request whose function waits to be called") {
    with_two_complete([](Member& /*me*/, Request& first, Request& second, const auto& complete) {
        int called = 0;
        std::thread::id on;
        first.then([&](const auto& /*failure*/) { on_another_thread([&] { second = Request(); }); });
        second.then([&](const auto& /*failure*/) {
            ++called;
            on = std::this_thread::get_id();
        });
        complete();
        CHECK(first.test());
        CHECK(called == 1);
        CHECK(on == std::this_thread::get_id());
    });
}

TEST_CASE("another thread destroys a coroutine that waits to go on") {
    with_two_complete([](Member& /*me*/, Request& first, Request& second, const auto& complete) {
        bool is_reached = false;
        const auto wait_for_second = [&]() -> Task {
            co_await second;
            is_reached = true;
        };
        std::optional<Task> waits(wait_for_second());
        bool is_called = false;
        first.then([&](const auto& /*failure*/) {
            on_another_thread([&] { waits.reset(); });
            second.then([&](const auto& /*failure*/) { is_called = true; }); // at once: it is complete
        });
        complete();
        CHECK(first.test());
        CHECK(!is_reached);
        CHECK(is_called);
    });
}

TEST_CASE("another thread cannot start while functions of the member wait to be called") {
    with_two_complete([](Member& me, Request& first, Request& second, const auto& complete) {
        const auto check_refused = [](const std::string& what, const std::function<void()>& use) {
            std::string text;
            on_another_thread([&] { text = thrown_by(use).text; });
            CHECK(mentions(text, what + ": called by another thread"));
        };
        const auto start = [&] { const Request more = me.start.barrier(); };
        const auto then = [&] { second.then([](const auto& /*failure*/) {}); };
        bool is_called = false;
        first.then([&](const auto& /*failure*/) {
            check_refused("start", start);
            check_refused("then", then);
        });
        second.then([&](const auto& /*failure*/) { is_called = true; });
        complete();
        CHECK(first.test());
        CHECK(is_called);
    });
}

TEST_CASE("a thread is not taken for one that has ended, whose memory it has got") {
    Team team(2, {.placement = Placement::none});
    std::atomic<bool> is_started{false}; // before the other member, so that it is not complete at once
    const Ended ended = run(team, [&](Member& me) {
        std::vector<int> values(5, 1);
        if (me.rank() == 1) {
            while (!is_started) {
            }
            me.start.allreduce(values, sum).wait();
            return;
        }
        Request request;
        on_another_thread([&] { request = me.start.allreduce(values, sum); });
        is_started = true;
        for (int round = 0; round < 10; ++round) {
            std::string text;
            on_another_thread([&] { text = thrown_by([&] { request.wait(); }).text; });
            CHECK(mentions(text, "wait: called by another thread"));
        }
    });
    CHECK(mentions(ended.run.text, "a member was destroyed by another thread"));
}

TEST_CASE("a member that leaves while another thread has operations of it leaves its group unusable") {
    std::binary_semaphore starts(0);
    std::binary_semaphore has_started(0);
    std::binary_semaphore looks(0);
    Member* member = nullptr;
    std::vector<int> values(5, 1);
    std::string text;
    std::thread other([&] {
        starts.acquire();
        Request request = member->start.allreduce(values, sum);
        has_started.release();
        looks.acquire();
        Team own(1, {.placement = Placement::none, .caller_is_member = true});
        own.run([](Member& me) { me.barrier(); });
        text = thrown_by([&] { request.wait(); }).text; // looks at all that it has in flight
    });
    {
        Team team(2, {.placement = Placement::none});
        const Ended ended = run(team, [&](Member& me) {
            if (me.rank() == 0) {
                member = &me;
                starts.release();
                has_started.acquire();
            }
        });
        CHECK(mentions(ended.run.text, "a member was destroyed by another thread"));
        const Ended again = run(team, [](Member& me) { me.start.barrier().wait(); });
        CHECK(mentions(again.run.text, "a member was destroyed by another thread"));
    }
    looks.release();
    other.join();
    CHECK(mentions(text, "a member was destroyed by another thread"));
}
