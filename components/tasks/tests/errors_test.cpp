// Errors among ranks that arrive, and the requests that report them.

#include "support.hpp"

using namespace tutti;
using test::mentions;

namespace {

template <class Exception>
std::string text_of(AsyncRequest& request) {
    try {
        request.wait();
    } catch (const Exception& exception) {
        return exception.what();
    }
    return "";
}

/// The text of all requests, which must be the same.
template <class Exception>
std::string common_text(std::vector<AsyncRequest>& requests) {
    const std::string text = text_of<Exception>(requests.front());
    for (AsyncRequest& request : requests) {
        CHECK(text_of<Exception>(request) == text);
        CHECK_THROWS_AS((void)request.test(), Exception);
    }
    return text;
}

TEST_CASE("there are no ranks but those from 0 on") {
    CHECK_THROWS_AS(AsyncGroup(0), ArgumentError);
    AsyncGroup meeting(2);
    CHECK(meeting.size() == 2);
    CHECK_THROWS_AS((void)meeting.at(2), ArgumentError);
    CHECK_THROWS_AS((void)meeting.at(-1), ArgumentError);
}

TEST_CASE("who passes a wrong argument has not arrived, and may again") {
    AsyncGroup meeting(2);
    std::array<int, 2> in{1, 2};
    std::array<int, 2> out{};
    std::array<int, 3> longer{};
    AsyncRequest mine = meeting.at(0).allreduce(in, out, sum);
    CHECK_THROWS_AS((void)meeting.at(1).allreduce(in, longer, sum), ArgumentError);
    CHECK_THROWS_AS((void)meeting.at(1).broadcast(longer, 2), ArgumentError);
    CHECK_THROWS_AS((void)meeting.at(1).allreduce(in, longer, sum, {.algorithm = "direct"}), ArgumentError);
    CHECK_FALSE(mine.test());
    std::array<int, 2> other{};
    AsyncRequest second = meeting.at(1).allreduce(in, other, sum, {.order = Order::canonical});
    CHECK(mine.test());
    CHECK(other == std::array{2, 4});
}

TEST_CASE("where calls differ nothing is touched, all are told, and the next operation is none the worse") {
    AsyncGroup meeting(2);
    std::array<int, 4> one{1, 2, 3, 4};
    std::array<int, 4> other{5, 6, 7, 8};
    std::vector<AsyncRequest> requests;
    requests.push_back(meeting.at(1).allreduce(other, max));
    requests.push_back(meeting.at(0).allreduce(one, sum));
    CHECK(mentions(common_text<MismatchError>(requests), "members 0 and 1 differ at operation 1: "));
    CHECK(one == std::array{1, 2, 3, 4});
    CHECK(other == std::array{5, 6, 7, 8});
    requests.front() = meeting.at(1).allreduce(other, sum);
    meeting.at(0).allreduce(one, sum).wait();
    CHECK(other == std::array{6, 8, 10, 12});
}

TEST_CASE("counts of an alltoall that do not match") {
    AsyncGroup meeting(2);
    const std::array<std::size_t, 2> ones{1, 1};
    const std::array<std::size_t, 2> more{1, 2};
    std::array<int, 3> in{};
    std::array<std::array<int, 2>, 2> outs{};
    std::vector<AsyncRequest> requests;
    requests.push_back(meeting.at(0).alltoall(in, Counts(more), outs[0], Counts(ones)));
    requests.push_back(meeting.at(1).alltoall(std::span(in.data(), 2), Counts(ones), outs[1], Counts(ones)));
    CHECK(common_text<MismatchError>(requests) ==
          "alltoall: recv_counts[0] of member 1 is 1, but send_counts[1] of member 0 is 2");
}

TEST_CASE("nobody's result may overlap another's vectors") {
    AsyncGroup meeting(3);
    std::array<int, 8> memory{1, 2, 3, 4, 5, 6, 7, 8};
    const auto piece = [&](std::size_t start) { return std::span(memory).subspan(start, 2); };
    std::array<int, 2> own{};
    std::array<int, 2> other{};
    std::vector<AsyncRequest> requests;
    SUBCASE("two results") {
        requests.push_back(meeting.at(0).allreduce(piece(0), own, sum));
        requests.push_back(meeting.at(1).allreduce(piece(2), piece(5), sum));
        requests.push_back(meeting.at(2).allreduce(piece(0), piece(6), sum));
        CHECK(
            mentions(common_text<MismatchError>(requests),
                     "members 1 and 2 call allreduce of 8 bytes of i32 with sum, but they write to the same "
                     "memory"));
    }
    SUBCASE("a result and an operand") {
        requests.push_back(meeting.at(0).allreduce(piece(3), own, sum));
        requests.push_back(meeting.at(1).allreduce(piece(6), other, sum));
        requests.push_back(meeting.at(2).allreduce(piece(0), piece(4), sum));
        CHECK(mentions(common_text<MismatchError>(requests),
                       "members 0 and 2 call allreduce of 8 bytes of i32 "
                       "with sum, but one writes to memory that the "
                       "other reads"));
    }
    SUBCASE("two shared ones that are not one") {
        requests.push_back(meeting.at(0).allreduce(piece(0), shared(own), sum));
        requests.push_back(meeting.at(1).allreduce(piece(0), shared(own), sum));
        requests.push_back(meeting.at(2).allreduce(piece(0), shared(other), sum));
        CHECK(mentions(common_text<MismatchError>(requests), "`out` is not the same memory"));
    }
    CHECK(memory == std::array{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("all are told what an executor throws, when no task is running any more") {
    std::vector<std::function<void()>> late;
    std::optional<std::thread> running;
    const Executor failing = [&](std::size_t count, const std::function<void(std::size_t)>& task) {
        REQUIRE(count > 3);
        task(1);
        running.emplace([task] { task(2); });
        late.push_back([task] { task(0); });
        throw std::runtime_error("no room");
    };
    std::vector<AsyncRequest> requests;
    {
        AsyncGroup meeting(2, {.executor = failing, .slice_bytes = 64});
        std::vector<int> one(1000, 1);
        std::vector<int> two(1000, 2);
        requests.push_back(meeting.at(0).allreduce(one, sum));
        requests.push_back(meeting.at(1).allreduce(two, sum));
        CHECK(common_text<std::runtime_error>(requests) == "no room");
    }
    late.front()(); // touches nothing
    running->join();
}

TEST_CASE("an executor may keep tasks longer than they last, and call them again") {
    std::vector<std::function<void(std::size_t)>> kept;
    std::vector<int> in(1000, 1);
    std::vector<int> out(1000, 0);
    {
        const Executor keeping = [&](std::size_t count, const std::function<void(std::size_t)>& task) {
            for (std::size_t index = 0; index < count; ++index) {
                task(index);
                in[0] = 2;
                task(0);
            }
            kept.push_back(task);
        };
        AsyncGroup meeting(1, {.executor = keeping, .slice_bytes = 64});
        meeting.at(0).allreduce(in, out, sum).wait();
    }
    REQUIRE(kept.size() == 1);
    kept.front()(0);
    CHECK(out == std::vector<int>(1000, 1));
}

TEST_CASE("an operator is copied when its rank arrives") {
    const auto times = [](int factor) {
        return [factor](int left, int right) { return left * factor + right; };
    };
    AsyncGroup meeting(2);
    std::array<int, 2> in{1, 2};
    std::array<std::array<int, 2>, 2> outs{};
    auto changed = times(10);
    AsyncRequest mine = meeting.at(0).allreduce(in, outs[0], changed);
    std::memset(static_cast<void*>(&changed), 0, sizeof changed);
    auto changed_too = times(10);
    meeting.at(1).allreduce(in, outs[1], changed_too).wait();
    CHECK(outs[0] == std::array{11, 22});
    CHECK(outs[1] == outs[0]);
}

TEST_CASE("a coroutine that is destroyed while it waits is called no more") {
    // Keeps itself until it is destroyed.
    struct Kept {
        struct promise_type {
            Kept get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
            std::suspend_never initial_suspend() { return {}; }
            std::suspend_always final_suspend() noexcept { return {}; }
            void return_void() {}
            void unhandled_exception() { std::terminate(); }
        };
        std::coroutine_handle<> handle;
    };
    int reached = 0;
    const auto wait_for = [&reached](AsyncRequest& request) -> Kept {
        co_await request;
        ++reached;
    };
    AsyncGroup meeting(3);
    std::array<AsyncRequest, 2> requests{meeting.at(0).barrier(), meeting.at(1).barrier()};
    SUBCASE("before the operation is complete") {
        wait_for(requests[0]).handle.destroy();
        const Kept another = wait_for(requests[0]); // who may wait instead
        meeting.at(2).barrier().wait();
        CHECK(reached == 1);
        another.handle.destroy();
    }
    SUBCASE("by what the operation calls before") {
        std::coroutine_handle<> second;
        const auto destroy_second = [&]() -> Kept {
            co_await requests[0];
            second.destroy();
        };
        const Kept first = destroy_second();
        second = wait_for(requests[1]).handle;
        meeting.at(2).barrier().wait();
        CHECK(reached == 0);
        first.handle.destroy();
    }
}

TEST_CASE("an async group that is destroyed lets go of whom it keeps waiting") {
    std::array<int, 2> values{1, 2};
    std::vector<AsyncRequest> requests;
    std::vector<AsyncRequest> complete;
    std::string awaited;
    std::string told;
    std::thread waiting;
    std::string heard;
    {
        auto meeting = std::make_unique<AsyncGroup>(3);
        for (const int rank : {0, 1, 2}) {
            complete.push_back(meeting->at(rank).barrier());
        }
        requests.push_back(meeting->at(0).broadcast(values, 0));
        requests.push_back(meeting->at(2).broadcast(values, 0));
        test::await_text(meeting->at(2).barrier(), awaited);
        AsyncRequest function = meeting->at(0).barrier();
        function.then([&](const std::exception_ptr& failure) { told = test::text_of(failure); });
        (void)meeting->at(2).barrier(); // of which nobody asks any more
        AsyncRequest blocked = meeting->at(2).barrier();
        waiting = std::thread([&heard, own = std::move(blocked)]() mutable { heard = text_of<Error>(own); });
    }
    waiting.join();
    CHECK(common_text<Error>(requests) ==
          "the async group has been destroyed before all ranks have arrived at "
          "operation 2: rank 1 has not");
    CHECK(mentions(awaited, "operation 3: rank 1 has not"));
    CHECK(mentions(heard, "operation 5: rank 1 has not"));
    CHECK(mentions(told, "operation 3: rank 1 has not"));
    for (AsyncRequest& request : complete) {
        CHECK(request.test());
    }
}

TEST_CASE("a request takes one function, and passes it the failure") {
    const std::function<void(std::exception_ptr)> none;
    {
        AsyncGroup one(1);
        AsyncRequest request = one.at(0).barrier();
        CHECK_THROWS_AS(request.then(none), ArgumentError);
        bool called = false;
        request.then([&](const std::exception_ptr& failure) { called = failure == nullptr; });
        CHECK(called);
        CHECK_THROWS_AS(AsyncRequest().then(none), ArgumentError);
    }
    AsyncGroup meeting(2);
    AsyncRequest mine = meeting.at(0).barrier();
    int told = 0;
    const auto tell = [&](const std::exception_ptr& failure) { told += failure != nullptr ? 1 : 0; };
    mine.then(tell);
    CHECK_THROWS_AS(mine.then(tell), Error);
    int value = 1;
    CHECK_THROWS_AS(meeting.at(1).broadcast(std::span(&value, 1), 0).wait(), MismatchError);
    CHECK(told == 1);
    CHECK_THROWS_AS(mine.then(tell), Error);
    CHECK(told == 1);
}

} // namespace
