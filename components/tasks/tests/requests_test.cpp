// Requests of ranks that arrive: which of them have an operation, waits with a limit, and several at a time.

#include "support.hpp"
#include "tests/test.hpp"

#include <tutti/async_group.hpp>
#include <tutti/error.hpp>
#include <tutti/operators.hpp>

using namespace tutti;
using namespace std::chrono_literals;

TEST_CASE("a request has an operation until it is moved from or emptied, and does not wait when it is gone") {
    AsyncRequest request;
    CHECK(!request.valid());
    CHECK((request.test() && request.wait_for(1h)));
    AsyncGroup meeting(2);
    request = meeting.at(0).barrier();
    CHECK(request.valid());
    AsyncRequest other = std::move(request);
    CHECK(!request.valid()); // NOLINT(bugprone-use-after-move)
    CHECK(other.valid());
    other = AsyncRequest(); // returns, though rank 1 has not arrived
    CHECK(!other.valid());
    meeting.at(1).barrier().wait();
}

TEST_CASE("a wait ends when its time is over, and the operation goes on") {
    AsyncGroup meeting(2);
    AsyncRequest request = meeting.at(0).barrier();
    CHECK(!request.wait_for(0s));
    CHECK(!request.wait_for(-1s));
    const auto begin = std::chrono::steady_clock::now();
    CHECK(!request.wait_for(20ms));
    CHECK(std::chrono::steady_clock::now() - begin >= 20ms);
    std::thread other([&] {
        std::this_thread::sleep_for(10ms);
        meeting.at(1).barrier().wait();
    });
    CHECK(request.wait_for(std::chrono::hours::max()));
    CHECK(request.wait_for(0s));
    other.join();
}

TEST_CASE("many short waits are as long as one for the timeout of the operation") {
    AsyncGroup meeting(2, {.timeout = 50ms});
    AsyncRequest request = meeting.at(0).barrier();
    CHECK_THROWS_AS(
        {
            while (!request.wait_for(1ms)) {
            }
        },
        TimeoutError);
    AsyncRequest another = meeting.at(0).barrier();
    CHECK_THROWS_AS((void)another.wait_for(1h), TimeoutError);
}

TEST_CASE("a wait with a limit runs what the executor has not begun") {
    test::Idle idle;
    AsyncGroup meeting(2, {.executor = idle.executor(), .slice_bytes = 64});
    std::array<std::vector<int>, 2> values{std::vector(1000, 1), std::vector(1000, 2)};
    AsyncRequest mine = meeting.at(0).allreduce(values[0], sum);
    AsyncRequest other = meeting.at(1).allreduce(values[1], sum);
    CHECK(!mine.wait_for(0s)); // a test
    CHECK(mine.wait_for(1h));
    CHECK(other.test());
    CHECK(values[1] == std::vector(1000, 3));
    idle.run();
}

TEST_CASE("any and all of several") {
    AsyncGroup meeting(2);
    std::array<AsyncRequest, 3> requests;
    CHECK(test_any(requests) == requests.size()); // all are empty
    CHECK(test_all(requests));
    requests[0] = meeting.at(0).barrier();
    requests[2] = meeting.at(0).barrier();
    CHECK(test_any(requests) == std::nullopt);
    CHECK(!test_all(requests));
    meeting.at(1).barrier().wait();
    CHECK(!test_all(requests));
    CHECK(test_any(requests) == std::size_t{0});
    CHECK(!requests[0].valid());
    CHECK(test_any(requests) == std::nullopt);
    meeting.at(1).barrier().wait();
    CHECK(test_all(requests));
    CHECK(requests[2].valid());
    wait_all(requests);
    CHECK(test_any(requests) == std::size_t{2});
    CHECK(test_any(requests) == requests.size());
}

TEST_CASE("a request of several that has failed is emptied, and each is looked at for its timeout") {
    AsyncGroup meeting(2);
    int value = 1;
    std::array<int, 2> two{};
    std::array<AsyncRequest, 3> requests{meeting.at(0).barrier({.timeout = 1h}),
                                         meeting.at(0).barrier({.timeout = 20ms}),
                                         meeting.at(0).broadcast(std::span(&value, 1), 0)};
    const auto begin = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(
        {
            while (!test_any(requests)) {
            }
        },
        TimeoutError);
    CHECK(std::chrono::steady_clock::now() - begin < 1min);
    CHECK(!requests[1].valid());
    CHECK(requests[0].valid());
    meeting.at(1).barrier().wait();
    CHECK_THROWS_AS(meeting.at(1).barrier().wait(), TimeoutError);
    CHECK_THROWS_AS(meeting.at(1).broadcast(two, 0).wait(), MismatchError);
    CHECK(test_any(requests) == std::size_t{0});
    CHECK_THROWS_AS((void)test_all(requests), MismatchError);
    CHECK(requests[2].valid());
    CHECK_THROWS_AS((void)test_any(requests), MismatchError);
    CHECK(test_any(requests) == requests.size());
}
