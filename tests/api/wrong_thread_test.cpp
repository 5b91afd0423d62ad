// Requests and members that another thread uses or ends than the one that has their operations in flight.

#include "coroutines.hpp"
#include "support.hpp"

#include <semaphore>

using namespace tutti;
using namespace tutti::test;

namespace {

void on_another_thread(const std::function<void()>& act) {
    std::thread(act).join();
}

using Act = std::function<void(Member& me, Request& first, Request& second, const std::function<void()>&)>;

/// Member 0 of two starts two operations and runs `act`. What that calls last makes both complete, which
/// shows in the next test. Both members go on after that.
void with_two_complete(const Act& act) {
    Team team(2, {.placement = "none"});
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
        std::string start;
        std::string then;
        bool is_called = false;
        first.then([&](const auto& /*failure*/) {
            on_another_thread([&] {
                start = thrown_by([&] { const Request more = me.start.barrier(); }).text;
                then = thrown_by([&] { second.then([](const auto& /*failure*/) {}); }).text;
            });
        });
        second.then([&](const auto& /*failure*/) { is_called = true; });
        complete();
        CHECK(first.test());
        CHECK(mentions(start, "start: called by another thread"));
        CHECK(mentions(then, "then: called by another thread"));
        CHECK(is_called);
    });
}

TEST_CASE("a thread is not taken for one that has ended, whose memory it has got") {
    Team team(2, {.placement = "none"});
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

TEST_CASE(
    "a member that leaves while another thread has operations of it in flight leaves its group unusable") {
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
        Team own(1, {.placement = "none", .caller_is_member = true});
        own.run([](Member& me) { me.barrier(); });
        text = thrown_by([&] { request.wait(); }).text; // looks at all that it has in flight
    });
    {
        Team team(2, {.placement = "none"});
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
