// Waits with a limit, tests of requests, timeouts, and functions that are told of failures, in C programs.

#include "support.hpp"

using namespace tutti::test;

namespace {

TEST_CASE("tests and waits with a limit leave what is not complete") {
    std::atomic<bool> may_go_on{false};
    on_team(2, [&](tutti_caller me) {
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
        ok(tutti_test_any(requests.data(), n, &index, &done));
        CHECK(done == 0);
        CHECK(index == n);
        done = 1;
        ok(tutti_test_all(requests.data(), n, &done));
        CHECK(done == 0);
        for (const int milliseconds : {-2, 0, 20}) {
            done = 1;
            ok(tutti_wait_for(&requests[1], milliseconds, &done));
            CHECK(done == 0);
        }
        CHECK(requests[1].operation != nullptr);
        may_go_on = true;
        ok(tutti_wait_for(&requests[2], INT64_MAX, &done));
        CHECK(done == 1);
        CHECK(requests[2].operation == nullptr);
        CHECK(out[2] == 6);
        for (done = 0; done == 0;) {
            ok(tutti_test_any(requests.data(), n, &index, &done));
        }
        CHECK((index == 1 || index == 3));
        CHECK(requests[index].operation == nullptr);
        for (done = 0; done == 0;) {
            ok(tutti_test_all(requests.data(), n, &done));
        }
        CHECK(out == std::array<int, n>{0, 4, 6, 8});
        CHECK(requests[4 - index].operation == nullptr);
        return int{TUTTI_OK};
    });
}

TEST_CASE("a wait without a limit ends when the operation is over") {
    tutti_async_group* meeting = nullptr;
    REQUIRE(tutti_async_group_create(2, nullptr, &meeting) == TUTTI_OK);
    std::array<tutti_request, 2> arrivals{none(), none()};
    REQUIRE(tutti_barrier(tutti_async_rank(meeting, 0, &arrivals[0])) == TUTTI_OK);
    std::thread late([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ok(tutti_barrier(tutti_async_rank(meeting, 1, &arrivals[1])));
    });
    int done = 0;
    ok(tutti_wait_for(&arrivals[0], TUTTI_NEVER, &done));
    CHECK(done == 1);
    late.join();
    ok(tutti_wait(&arrivals[1]));
    ok(tutti_async_group_free(meeting));
    on_team(2, [](tutti_caller me) {
        tutti_request request = none();
        if (me.rank == 1) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        ok(tutti_barrier(tutti_nonblocking(me, &request)));
        int is_done = 0;
        ok(tutti_wait_for(&request, TUTTI_NEVER, &is_done));
        CHECK(is_done == 1);
    });
}

TEST_CASE("any and all of prepared calls and of arrivals") {
    on_team(1, [](tutti_caller me) {
        std::array<tutti_request, 2> requests{none(), none()};
        std::size_t index = 0;
        int done = 0;
        ok(tutti_barrier(tutti_persistent(me, &requests[1])));
        ok(tutti_test_all(requests.data(), 2, &done));
        CHECK(done == 1);
        CHECK(requests[1].kind != 0);
        CHECK(tutti_test_any(requests.data(), 2, &index, &done) == TUTTI_ARGUMENT_ERROR);
        CHECK(done == 0);
        CHECK(mentions(tutti_error_text(), "test_any: `requests[1]` is of a prepared call"));
        ok(tutti_request_free(&requests[1]));
    });
    tutti_async_group* meeting = nullptr;
    REQUIRE(tutti_async_group_create(2, nullptr, &meeting) == TUTTI_OK);
    std::array<tutti_request, 2> requests{none(), none()};
    std::size_t index = 0;
    int done = 1;
    REQUIRE(tutti_barrier(tutti_async_rank(meeting, 0, &requests[0])) == TUTTI_OK);
    ok(tutti_test_any(requests.data(), 2, &index, &done));
    CHECK(done == 0);
    ok(tutti_test_all(requests.data(), 2, &done));
    CHECK(done == 0);
    ok(tutti_wait_for(&requests[0], 5, &done));
    CHECK(done == 0);
    REQUIRE(tutti_barrier(tutti_async_rank(meeting, 1, &requests[1])) == TUTTI_OK);
    ok(tutti_test_any(requests.data(), 2, &index, &done));
    CHECK(done == 1);
    CHECK(index == 0);
    ok(tutti_test_all(requests.data(), 2, &done));
    CHECK(done == 1);
    CHECK(requests[1].operation == nullptr);
    ok(tutti_async_group_free(meeting));
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
                  ok(tutti_barrier(tutti_nonblocking(me, &request)));
                  ok(tutti_then(&request, Told::tell, &told));
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

TEST_CASE("a timeout of a group must be positive, or never") {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    options.timeout_ms = -2;
    tutti_group* group = nullptr;
    refused(tutti_group_create(2, &options, &group), "timeout is -2 ms, must be positive, or never");
    tutti_async_group_options of_async = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
    of_async.timeout_ms = -2;
    tutti_async_group* async_group = nullptr;
    refused(tutti_async_group_create(2, &of_async, &async_group), "AsyncGroupOptions::timeout is -2 ms");
}

TEST_CASE("options of a program that was compiled before there were timeouts") {
    const Joined half(2);
    tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
    options.size = offsetof(tutti_call_options, timeout_ms);
    options.timeout_ms = -5;
    std::thread other([&] {
        tutti_caller me;
        ok(tutti_join(half.group, 1, &me));
        ok(tutti_barrier(me));
        ok(tutti_leave(me));
    });
    ok(tutti_barrier(tutti_with_options(half.me, &options)));
    other.join();
}

TEST_CASE("a roll call is written as far as there is room") {
    const Joined half(2);
    std::array<char, 2000> text{};
    std::size_t length = 0;
    ok(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), &length));
    CHECK(length == std::strlen(text.data()));
    CHECK(mentions(text.data(), "roll call of 2 members:\n"));
    CHECK(mentions(text.data(), "  member 1: not joined\n"));
    std::array<char, 10> cut{};
    ok(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_TEXT, cut.data(), cut.size(), nullptr));
    CHECK(std::string(cut.data()) == "roll call");
    ok(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_JSON, nullptr, 0, &length));
    CHECK(length > 100);
    refused(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_TEXT, nullptr, 10, &length),
            "group_roll_call: `text` is a null pointer, but `bytes` is 10");
    refused(tutti_group_roll_call(half.group, 2, text.data(), text.size(), nullptr), "`format` is 2");
    refused(tutti_group_roll_call(nullptr, 0, text.data(), text.size(), nullptr),
            "`group` is a null pointer");

    tutti_team* team = nullptr;
    REQUIRE(tutti_team_create(3, nullptr, &team) == TUTTI_OK);
    ok(tutti_team_roll_call(team, TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), nullptr));
    CHECK(std::string(text.data()) == "roll call of 3 members:\n  members 0-2: no call yet\n");
    tutti_team_free(team);

    const Meeting meeting(2);
    ok(tutti_async_group_roll_call(meeting.get(), TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), nullptr));
    CHECK(std::string(text.data()) == "roll call of an async group of 2 ranks:\n  ranks 0, 1: no call yet\n");
}

} // namespace
