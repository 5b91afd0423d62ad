// Tests of requests, waits with a limit and failures that functions are told of, in C programs.

#include "support.hpp"

using namespace tutti::test;

TEST_CASE("tests and waits with a limit leave what is not complete") {
    std::atomic<bool> may_go_on{false};
    CHECK(run_team(2, [&](tutti_caller me) {
              constexpr std::size_t n = 4;
              const std::array<int, n> in{1, 2, 3, 4};
              std::array<int, n> out{};
              std::array<tutti_request, n> requests{none(), none(), none(), none()};
              std::size_t index = 0;
              int done = 1;
              while (me.rank == 1 && !may_go_on) {
                  std::this_thread::yield();
              }
              for (std::size_t i = 1; i < n; ++i) {
                  CHECK(start_sum(me, requests[i], in[i], out[i]) == TUTTI_OK);
              }
              if (me.rank == 1) {
                  return tutti_wait_all(requests.data(), n);
              }
              CHECK(tutti_test_any(requests.data(), n, &index, &done) == TUTTI_OK);
              CHECK(done == 0);
              CHECK(index == n);
              done = 1;
              CHECK(tutti_test_all(requests.data(), n, &done) == TUTTI_OK);
              CHECK(done == 0);
              for (const int milliseconds : {-2, 0, 20}) {
                  done = 1;
                  CHECK(tutti_wait_for(&requests[1], milliseconds, &done) == TUTTI_OK);
                  CHECK(done == 0);
              }
              CHECK(requests[1].operation != nullptr);
              may_go_on = true;
              CHECK(tutti_wait_for(&requests[2], INT64_MAX, &done) == TUTTI_OK);
              CHECK(done == 1);
              CHECK(requests[2].operation == nullptr);
              CHECK(out[2] == 6);
              for (done = 0; done == 0;) {
                  CHECK(tutti_test_any(requests.data(), n, &index, &done) == TUTTI_OK);
              }
              CHECK((index == 1 || index == 3));
              CHECK(requests[index].operation == nullptr);
              for (done = 0; done == 0;) {
                  CHECK(tutti_test_all(requests.data(), n, &done) == TUTTI_OK);
              }
              CHECK(out == std::array<int, n>{0, 4, 6, 8});
              CHECK(requests[4 - index].operation == nullptr);
              return int{TUTTI_OK};
          }) == TUTTI_OK);
}

TEST_CASE("a wait without a limit ends when the operation is over") {
    tutti_async_group* meeting = nullptr;
    REQUIRE(tutti_async_group_create(2, nullptr, &meeting) == TUTTI_OK);
    std::array<tutti_request, 2> arrivals{none(), none()};
    REQUIRE(tutti_barrier(tutti_async_rank(meeting, 0, &arrivals[0])) == TUTTI_OK);
    std::thread late([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        CHECK(tutti_barrier(tutti_async_rank(meeting, 1, &arrivals[1])) == TUTTI_OK);
    });
    int done = 0;
    CHECK(tutti_wait_for(&arrivals[0], TUTTI_NEVER, &done) == TUTTI_OK);
    CHECK(done == 1);
    late.join();
    CHECK(tutti_wait(&arrivals[1]) == TUTTI_OK);
    CHECK(tutti_async_group_free(meeting) == TUTTI_OK);
    CHECK(run_team(2, [](tutti_caller me) {
              tutti_request request = none();
              if (me.rank == 1) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(50));
              }
              CHECK(tutti_barrier(tutti_nonblocking(me, &request)) == TUTTI_OK);
              int is_done = 0;
              CHECK(tutti_wait_for(&request, TUTTI_NEVER, &is_done) == TUTTI_OK);
              CHECK(is_done == 1);
              return int{TUTTI_OK};
          }) == TUTTI_OK);
}

TEST_CASE("any and all of prepared calls and of arrivals") {
    CHECK(run_team(1, [](tutti_caller me) {
              std::array<tutti_request, 2> requests{none(), none()};
              std::size_t index = 0;
              int done = 0;
              CHECK(tutti_barrier(tutti_persistent(me, &requests[1])) == TUTTI_OK);
              CHECK(tutti_test_all(requests.data(), 2, &done) == TUTTI_OK);
              CHECK(done == 1);
              CHECK(requests[1].kind != 0);
              CHECK(tutti_test_any(requests.data(), 2, &index, &done) == TUTTI_ARGUMENT_ERROR);
              CHECK(done == 0);
              CHECK(mentions(tutti_error_text(), "test_any: `requests[1]` is of a prepared call"));
              return tutti_request_free(&requests[1]);
          }) == TUTTI_OK);
    tutti_async_group* meeting = nullptr;
    REQUIRE(tutti_async_group_create(2, nullptr, &meeting) == TUTTI_OK);
    std::array<tutti_request, 2> requests{none(), none()};
    std::size_t index = 0;
    int done = 1;
    REQUIRE(tutti_barrier(tutti_async_rank(meeting, 0, &requests[0])) == TUTTI_OK);
    CHECK(tutti_test_any(requests.data(), 2, &index, &done) == TUTTI_OK);
    CHECK(done == 0);
    CHECK(tutti_test_all(requests.data(), 2, &done) == TUTTI_OK);
    CHECK(done == 0);
    CHECK(tutti_wait_for(&requests[0], 5, &done) == TUTTI_OK);
    CHECK(done == 0);
    REQUIRE(tutti_barrier(tutti_async_rank(meeting, 1, &requests[1])) == TUTTI_OK);
    CHECK(tutti_test_any(requests.data(), 2, &index, &done) == TUTTI_OK);
    CHECK(done == 1);
    CHECK(index == 0);
    CHECK(tutti_test_all(requests.data(), 2, &done) == TUTTI_OK);
    CHECK(done == 1);
    CHECK(requests[1].operation == nullptr);
    CHECK(tutti_async_group_free(meeting) == TUTTI_OK);
}

TEST_CASE("a function is told why its operation has failed") {
    struct Told {
        int calls = 0;
        tutti_status status = TUTTI_OK;
        std::string text;

        static void tell(tutti_status status, void* user) {
            auto& told = *static_cast<Told*>(user);
            ++told.calls;
            told.status = status;
            told.text = tutti_error_text();
        }
    };
    std::atomic<bool> has_started{false};
    for (const bool tests_any : {false, true}) {
        Told told;
        has_started = false;
        CHECK(run_team(2, [&](tutti_caller me) {
                  tutti_request request = none();
                  if (me.rank == 1) {
                      while (!has_started) {
                          std::this_thread::yield();
                      }
                      return 200;
                  }
                  CHECK(tutti_barrier(tutti_nonblocking(me, &request)) == TUTTI_OK);
                  CHECK(tutti_then(&request, Told::tell, &told) == TUTTI_OK);
                  has_started = true;
                  tutti_status status = TUTTI_OK;
                  int done = 0;
                  std::size_t index = 0;
                  while (done == 0) {
                      status = tests_any ? tutti_test_any(&request, 1, &index, &done)
                                         : tutti_test_all(&request, 1, &done);
                  }
                  CHECK(status == TUTTI_ABORTED);
                  CHECK(request.operation == nullptr);
                  return status;
              }) == 200);
        CHECK(told.calls == 1);
        CHECK(told.status == TUTTI_ABORTED);
        CHECK(mentions(told.text, "200"));
    }
}
