// Calls that consist of several calls, or do something after them.

#include "../api/coroutines.hpp"
#include "two_members.hpp"

#include <tutti/numbers.hpp>

TEST_CASE("functions come at the end of a call that consists of several calls") {
    const std::vector<std::function<void(Member&)>> calls{
        [](Member& me) {
            std::vector<int> received;
            me.alltoall(std::array{1, 2}, Counts({1, 1}), received);
        },
        [](Member& me) { CHECK(reproducible_norm2(me, std::array{3e-200}) > 4e-200); },
    };
    for (const auto& call : calls) {
        bool is_called = false;
        const Thrown waited = run_beside(
            false,
            [&](Beside& own, const std::exception_ptr&) {
                own.me.barrier(); // would be taken for a part of the call
                is_called = true;
            },
            [&](Beside& own) {
                call(own.me);
                progress_until([&] { return is_called; });
            },
            [&](Beside& own) {
                Turn::hesitate();
                call(own.me);
                own.me.barrier();
            });
        CHECK(waited.text == "");
        CHECK(is_called);
    }
}

TEST_CASE("a function may destroy the member after the call at whose end it comes") {
    Turn turn;
    const Thrown thrown = run_both([&](Beside& own) {
        std::optional<Member> reversed = own.me.subset(std::array{1, 0});
        if (own.is_first()) {
            own.request = own.side->start.barrier();
            own.request.then([&](const std::exception_ptr&) {
                reversed.reset();
                reversed.emplace(own.me.among(1)); // in its place, with another rank
            });
            turn.pass();
            CHECK(reversed->exscan(1, sum) == 2);
        } else {
            turn.await();
            own.side->start.barrier().wait();
            Turn::hesitate();
            CHECK(reversed->exscan(2, sum) == 0);
        }
    });
    CHECK(thrown.text == "");
}

namespace {

Task waits_for(Request& awaited) {
    co_await awaited;
}

} // namespace

TEST_CASE("a coroutine that begins to wait calls no function, which might destroy what it waits for") {
    Turn turn, back;
    const Thrown thrown = run_both([&](Beside& own) {
        std::optional<Member> reversed = own.me.subset(std::array{1, 0});
        if (own.is_first()) {
            Request awaited = reversed->start.barrier();
            bool is_called = false;
            own.request = own.side->start.barrier();
            own.request.then([&](const std::exception_ptr&) {
                is_called = true;
                awaited = {};
                reversed.reset();
            });
            turn.pass();
            back.await(); // the barrier in `side` is complete
            const Task task = waits_for(awaited);
            CHECK(!is_called);
            own.request.wait();
            CHECK(task.is_done());
        } else {
            turn.await();
            own.side->start.barrier().wait();
            back.pass();
            reversed->start.barrier().wait();
        }
    });
    CHECK(thrown.text == "");
}

TEST_CASE("an operator that combines the initial value has the rules of one in a call") {
    for (const bool calls : {false, true}) {
        const Thrown thrown = run_both([&](Beside& own) {
            own.me.barrier();
            const auto op = [&](int a, int b) {
                Turn::hesitate(); // so that the other waits in its barrier
                calls ? own.me.barrier() : throw std::runtime_error("own");
                return a + b;
            };
            const Thrown combined = thrown_by([&] { std::ignore = own.me.exscan(1, op, 5); });
            CHECK(combined.kind == (own.is_first() ? Kind::nothing : calls ? Kind::error : Kind::other));
            CHECK(thrown_by([&] { own.me.barrier(); }).kind == Kind::aborted);
        });
        CHECK(mentions(thrown.text, calls ? "called by an operator" : "own"));
    }
}
