// Requests of ranks that arrive: waits with a limit, several at a time, timeouts, and roll calls.

#include "support.hpp"
#include "tests/fast_clock.hpp"

using namespace tutti;
using namespace std::chrono_literals;
using test::mentions;

namespace {

/// The text of the exception at the request's timeout, if there is one.
std::optional<std::string> told_by(AsyncRequest& request) {
    try {
        request.wait();
    } catch (const TimeoutError& error) {
        return error.what();
    }
    return std::nullopt;
}

TEST_CASE("an async group has the timeout of its options, or of TUTTI_TIMEOUT") {
    CHECK_THROWS_AS(AsyncGroup(2, {.timeout = -1ms}), ArgumentError);
    CHECK_THROWS_AS(AsyncGroup(2, {.timeout = 0ms}), ArgumentError);
    setenv("TUTTI_TIMEOUT", "0.05", 1);
    AsyncGroup by_environment(2);
    setenv("TUTTI_TIMEOUT", "soon", 1);
    CHECK_NOTHROW(AsyncGroup(2)); // it is ignored
    unsetenv("TUTTI_TIMEOUT");
    const test::FastClock clock(10);
    AsyncRequest other = by_environment.at(1).barrier();
    CHECK(mentions(told_by(other).value_or(""), "rank 1 has waited 50 ms"));
}

TEST_CASE("a coroutine learns of it as well") {
    const test::FastClock clock(10);
    AsyncGroup meeting(3, {.timeout = 50ms});
    std::string text;
    test::await_text(meeting.at(1).barrier(), text);
    AsyncRequest other = meeting.at(2).barrier();
    CHECK(told_by(other));
    CHECK(mentions(text, "rank 0 has made no call yet"));
}

TEST_CASE("each operation ends once, whoever comes first: the last rank or the timeout") {
    const auto token = std::make_shared<int>(0);
    {
        constexpr int ranks = 3;
        constexpr int most = test::reduced ? 100 : 1000;
        AsyncGroup meeting(ranks, {.timeout = 1ms});
        std::array<std::vector<int>, ranks> results;
        std::array<std::vector<char>, ranks> are_told;
        test::on_threads(ranks, [&](int rank) {
            auto& result = results[static_cast<std::size_t>(rank)];
            auto& is_told = are_told[static_cast<std::size_t>(rank)];
            result.assign(most, 0);
            is_told.assign(most, 0);
            std::minstd_rand random(static_cast<unsigned>(rank) + 1);
            for (std::size_t round = 0; round < most; ++round) {
                if (random() % 4 == 0) { // about as long as the timeout
                    std::this_thread::sleep_for(1us * (random() % 3000));
                }
                const int mine = static_cast<int>(round) + rank;
                const auto plus = [token](int a, int b) { return a + b; };
                AsyncRequest request =
                    meeting.at(rank).allreduce(std::span(&mine, 1), std::span(&result[round], 1), plus);
                is_told[round] = told_by(request) ? 1 : 0;
            }
        });
        for (std::size_t round = 0; round < most; ++round) {
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                REQUIRE(are_told[rank][round] == are_told[0][round]);
                REQUIRE(results[rank][round] ==
                        (are_told[0][round] != 0 ? 0 : 3 * static_cast<int>(round) + 3));
            }
        }
    }
    CHECK(token.use_count() == 1); // nobody keeps an operator
}

TEST_CASE("each operation ends once, whoever comes first: the timeout or the end of the async group") {
    const auto token = std::make_shared<int>(0);
    constexpr int repetitions = test::reduced ? 20 : 200;
    constexpr std::size_t operations = 20;
    for (int round = 0; round < repetitions; ++round) {
        auto meeting = std::make_unique<AsyncGroup>(2, AsyncGroupOptions{.timeout = 1ms});
        std::vector<AsyncRequest> requests;
        std::array<int, operations> results{};
        for (int& result : results) {
            const auto plus = [token](int a, int b) { return a + b; };
            requests.push_back(meeting->at(0).allreduce(std::span(&result, 1), plus));
        }
        for (AsyncRequest& request : requests) {
            CHECK(!request.test()); // from now on it is waited for
        }
        std::this_thread::sleep_for(5ms); // what tests look at may be a clock that ticks every 4 ms
        std::atomic<bool> begins{false};
        const auto ends = [](AsyncRequest& request) {
            while (!request.test()) {
            }
        };
        std::jthread tests([&] {
            while (!begins) {
            }
            // From the last one on: somewhere the two meet.
            for (std::size_t index = operations; index-- > 0;) {
                CHECK_THROWS_AS(ends(requests[index]), Error);
            }
        });
        begins = true;
        meeting.reset();
        tests.join();
        for (AsyncRequest& request : requests) {
            CHECK_THROWS_AS(request.wait(), Error); // the operation is still the request's own
        }
    }
    CHECK(token.use_count() == 1);
}

TEST_CASE("operators of operations that have been given up are dropped, also where ranks never come") {
    const auto token = std::make_shared<int>(0);
    const auto plus = [token](int a, int b) { return a + b; };
    const test::FastClock clock(10);
    int x = 1;
    {
        AsyncGroup meeting(2, {.timeout = 20ms});
        for (int round = 0; round < 3; ++round) {
            AsyncRequest request = meeting.at(1).allreduce(std::span(&x, 1), plus);
            CHECK(told_by(request));
        }
        AsyncRequest late = meeting.at(0).allreduce(std::span(&x, 1), plus);
        CHECK(told_by(late));
    }
    CHECK(token.use_count() == 2); // that of `plus`
}

TEST_CASE("an operation that an executor has not ended is waited for, whatever the timeout is") {
    const test::FastClock clock(10);
    test::Idle idle;
    AsyncGroup meeting(2, {.executor = idle.executor(), .slice_bytes = 4096, .timeout = 20ms});
    std::vector<double> one(10'000, 1);
    std::vector<double> other(10'000, 2);
    AsyncRequest first = meeting.at(0).allreduce(one, sum);
    AsyncRequest second = meeting.at(1).allreduce(other, sum);
    test::sleep_for(60ms);
    CHECK(!first.wait_for(0s)); // a test
    first.wait();               // does it itself
    second.wait();
    CHECK(one == std::vector<double>(one.size(), 3));
    CHECK(other == one);
    idle.run();
}

TEST_CASE("an async group tells who is where") {
    AsyncGroup meeting(3);
    CHECK(meeting.roll_call() == "roll call of an async group of 3 ranks:\n  ranks 0-2: no call yet\n");
    std::vector<AsyncRequest> requests;
    std::array<int, 3> x{1, 1, 1};
    for (int rank = 0; rank < 3; ++rank) {
        requests.push_back(meeting.at(rank).allreduce(std::span(&x[static_cast<std::size_t>(rank)], 1), sum));
    }
    requests.push_back(meeting.at(0).broadcast(std::span(x.data(), 1), 1));
    requests.push_back(meeting.at(2).broadcast(std::span(&x[2], 1), 1));
    const std::string text = meeting.roll_call();
    CAPTURE(text);
    CHECK(mentions(text, "rank 1: came to operation 1, allreduce of 4 bytes of i32 with sum, in place or by "
                         "value, at waits_test.cpp:"));
    CHECK(mentions(text, "rank 2: came to operation 2, broadcast of 4 bytes of i32, root 1, at "));
    CHECK(mentions(meeting.roll_call(RollCallFormat::json),
                   "{\"group\": \"an async group of 3 ranks\", \"members\": 3, "));
    requests.push_back(meeting.at(1).broadcast(std::span(&x[1], 1), 1));
    wait_all(requests);
}

TEST_CASE("a roll call says who waits at an async group, and for whom") {
    AsyncGroup meeting(3);
    double first = 1;
    double second = 1;
    AsyncRequest one = meeting.at(0).allreduce(std::span(&first, 1), sum);
    AsyncRequest other = meeting.at(0).allreduce(std::span(&second, 1), max);
    AsyncRequest of_second = meeting.at(1).allreduce(std::span(&second, 1), sum);
    std::jthread waits([&] { one.wait(); });
    std::string text;
    do {
        std::this_thread::sleep_for(1ms);
        text = meeting.roll_call();
    } while (!mentions(text, "waiting for rank 2"));
    INFO(text);
    CHECK(mentions(text, "rank 0: in operation 1; waiting for rank 2 for "));
    CHECK(mentions(text, "\n    0: thread "));
    const std::string json = meeting.roll_call(RollCallFormat::json);
    INFO(json);
    CHECK(mentions(json, "\"waits_for\": {\"rank\": 2, \"calls\": \"blocking\", \"number\": 1"));
    CHECK(!mentions(json, "joined"));
    double third = 1;
    AsyncRequest of_third = meeting.at(2).allreduce(std::span(&third, 1), sum);
    waits.join();
    CHECK(!mentions(meeting.roll_call(), "waiting"));
}

TEST_CASE("a timeout names the operation that was waited for, though its rank has come to another") {
    const test::FastClock clock(10);
    AsyncGroup meeting(2, {.timeout = 100ms});
    double first = 1;
    double second = 1;
    AsyncRequest one = meeting.at(0).allreduce(std::span(&first, 1), sum);
    const unsigned line = __LINE__ - 1;
    AsyncRequest other = meeting.at(0).allreduce(std::span(&second, 1), max);
    const std::string told = told_by(one).value_or("");
    CHECK(mentions(told, "rank 0 has waited 100 ms in operation 1, allreduce of 8 bytes of f64 with sum"));
    CHECK(mentions(told, "at waits_test.cpp:" + std::to_string(line)));
}

TEST_CASE("test_any looks at each request for its timeout") {
    const test::FastClock clock(10);
    AsyncGroup meeting(2);
    std::array requests{meeting.at(0).barrier({.timeout = 1h}), meeting.at(0).barrier({.timeout = 20ms})};
    const auto until = std::chrono::steady_clock::now() + 1min;
    const auto test_until_one_ends = [&] {
        while (!test_any(requests) && std::chrono::steady_clock::now() < until) {
        }
    };
    CHECK_THROWS_AS(test_until_one_ends(), TimeoutError);
    CHECK((requests[0].valid() && !requests[1].valid()));
    meeting.at(1).barrier().wait();
    CHECK(test_any(requests) == std::size_t{0});
}

} // namespace
