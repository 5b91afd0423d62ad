// Functions and coroutines that go on when an operation is complete.

#include "coroutines.hpp"
#include "support.hpp"

namespace {

/// Two dependent steps, each of which lets others of the same thread go on.
Task two_steps(Member& me, int value, int& result) {
    int first = 0;
    co_await me.start.allreduce(value, first, sum);
    co_await me.start.allreduce(first, result, sum);
}

} // namespace

TEST_CASE("continuations are called once, after the operation and outside of all calls, and may make calls") {
    constexpr int members = 3;
    Team team(members, {.placement = Placement::none});
    team.run([&](Member& me) {
        constexpr int steps = 10;
        int value = 1;
        int next = 0;
        int called = 0;
        std::deque<Request> requests;
        std::function<void(std::exception_ptr)> go_on = [&](const std::exception_ptr& failure) {
            CHECK(failure == nullptr);
            CHECK(next == value * members);
            value = next;
            if (++called == steps) {
                return;
            }
            CHECK(me.allreduce(1, sum) == members); // blocking, too
            requests.push_back(me.start.allreduce(value, next, sum));
            requests.back().then(go_on);
        };
        requests.push_back(me.start.allreduce(value, next, sum));
        requests.back().then(go_on);
        while (called < steps) {
            requests.back().wait();
        }
        CHECK(value == 59049); // 3^10
    });
}

TEST_CASE("coroutines of one member take turns, whichever of them is waited for") {
    Team team(4, {.placement = Placement::none});
    team.run([](Member& me) {
        // The order in which operations complete depends on the member. So each coroutine has its own group.
        std::array<int, 20> results{};
        std::deque<Member> mine;
        std::vector<Task> tasks;
        for (std::size_t i = 0; i < results.size(); ++i) {
            mine.push_back(me.dup());
            tasks.push_back(two_steps(mine.back(), static_cast<int>(i), results[i]));
        }
        for (const Task& task : tasks) {
            progress_until([&] { return task.is_done(); });
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
            CHECK(results[i] == 16 * static_cast<int>(i));
        }
    });
}

TEST_CASE("a wait for a condition ends if what would bring it about has failed, or is through, or nothing") {
    CHECK(mentions(thrown_by([] { progress_until([] { return false; }); }).text, "no outstanding operation"));
    progress_until([] { return true; });
    Team team(2, {.placement = Placement::none});
    for (int repetition = 0; repetition < 20; ++repetition) {
        const Outcomes each = check_fails(team, Kind::other, {"broken"}, [](Member& me) {
            std::vector<double> vector(4, 1);
            if (me.rank() == 1) {
                throw std::runtime_error("broken");
            }
            bool is_complete = false;
            Request request = me.start.allreduce(vector, sum);
            request.then([&](const std::exception_ptr& failure) { is_complete = failure == nullptr; });
            progress_until([&] { return is_complete; });
        });
        CHECK(each.of(0).kind == Kind::aborted);
        check_fails(team, Kind::error, {"no outstanding operation"}, [](Member& me) {
            std::vector<double> vector(4, 1);
            Request request = me.start.allreduce(vector, sum);
            progress_until([] { return false; });
        });
    }
}

TEST_CASE("a coroutine goes on when the request that it waits for is destroyed, and none that is itself") {
    Team team(2, {.placement = Placement::none});
    team.run([](Member& me) {
        std::vector<int> in(3000, 1);
        std::vector<int> out(3000);
        const auto waits = [](Request& request, int& times) -> Task {
            co_await request;
            ++times;
        };
        int times = 0;
        std::optional<Request> request = me.start.allreduce(in, out, sum);
        const Task task = waits(*request, times);
        request.reset();
        CHECK(task.is_done());
        CHECK(times == 1);
        Request kept = me.start.allreduce(in, out, max);
        { const Task destroyed = waits(kept, times); }
        const bool was_over = times == 2;
        kept.wait();
        me.barrier();
        CHECK(times == (was_over ? 2 : 1));
    });
}

TEST_CASE("one function or coroutine waits for an operation") {
    std::atomic<bool> is_through{false};
    check_members(2, [&](Member& me) {
        if (me.rank() == 1) {
            await(is_through, true);
        }
        Request request = me.start.barrier();
        int called = 0;
        if (me.rank() == 0) {
            request.then([&](const auto& /*failure*/) { ++called; });
            CHECK(mentions(thrown_by([&] { request.then([](const auto& /*failure*/) {}); }).text,
                           "waits for this operation already"));
            is_through = true;
        }
        request.wait();
        return called == 1 - me.rank();
    });
}

TEST_CASE("a function that is called at the end may be move-only, and is destroyed once") {
    const auto counted = std::make_shared<int>(0);
    const auto function = [&] {
        return [own = std::make_unique<int>(1), counted](const std::exception_ptr& failure) mutable {
            *counted += failure == nullptr ? *own : 1000;
            own = nullptr;
        };
    };
    AsyncGroup meeting(2);
    AsyncRequest early = meeting.at(0).barrier();
    early.then(function());
    CHECK(*counted == 0);
    AsyncRequest late = meeting.at(1).barrier();
    CHECK(*counted == 1);
    late.then(function()); // over already
    CHECK(*counted == 2);
    AsyncRequest().then(function());
    CHECK(*counted == 3);
    Team team(1, {.placement = Placement::none});
    team.run([&](Member& me) {
        Request request = me.start.barrier();
        request.wait();
        request.then(function()); // over already
        CHECK(*counted == 4);
        Persistent step = me.prepare.barrier();
        auto named = function();
        step.then(std::move(named)); // it has never been started
        CHECK(*counted == 5);
    });
    { // nobody calls this one
        AsyncGroup left(2);
        AsyncRequest request = left.at(0).barrier();
        request.then([counted, own = std::make_unique<int>()](const auto& /*failure*/) { ++*counted; });
        CHECK(thrown_by([&] { request.then(function()); }).kind == Thrown::Kind::error);
    }
    CHECK(counted.use_count() == 1);
}
