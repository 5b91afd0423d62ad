// Calls of C programs that wait for too long, and roll calls.

#include "support.hpp"

using namespace tutti::test;

TEST_CASE("a call that waits longer than its group's timeout says who is where") {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    options.timeout_ms = 100;
    const Joined half(2, &options);
    CHECK(tutti_barrier(half.me) == TUTTI_TIMEOUT_ERROR);
    CHECK(mentions(tutti_error_text(), "has waited 100 ms"));
    CHECK(mentions(tutti_error_text(), "member 1 has not joined"));
    options.timeout_ms = -2;
    tutti_group* group = nullptr;
    check_refused(tutti_group_create(2, &options, &group), "timeout is -2 ms, must be positive, or never");
}

TEST_CASE("options of a program that was compiled before there were timeouts") {
    const Joined half(2);
    tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
    options.size = offsetof(tutti_call_options, timeout_ms);
    options.timeout_ms = -5;
    std::thread other([&] {
        tutti_caller me;
        CHECK(tutti_join(half.group, 1, &me) == TUTTI_OK);
        CHECK(tutti_barrier(me) == TUTTI_OK);
        CHECK(tutti_leave(me) == TUTTI_OK);
    });
    CHECK(tutti_barrier(tutti_with_options(half.me, &options)) == TUTTI_OK);
    other.join();
}

TEST_CASE("a rank that does not come is named, and told when it does") {
    tutti_async_group_options options = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
    options.timeout_ms = 100;
    const Meeting meeting(2, &options);
    tutti_request first = TUTTI_REQUEST_NULL;
    tutti_request second = TUTTI_REQUEST_NULL;
    CHECK(tutti_barrier(tutti_async_rank(meeting.get(), 0, &first)) == TUTTI_OK);
    CHECK(tutti_wait(&first) == TUTTI_TIMEOUT_ERROR);
    CHECK(mentions(tutti_error_text(), "rank 0 has waited 100 ms in operation 1, barrier"));
    CHECK(mentions(tutti_error_text(), "rank 1 has made no call yet"));
    CHECK(tutti_barrier(tutti_async_rank(meeting.get(), 1, &second)) == TUTTI_OK);
    CHECK(tutti_wait(&second) == TUTTI_TIMEOUT_ERROR);
    options.timeout_ms = -2;
    tutti_async_group* refused = nullptr;
    check_refused(tutti_async_group_create(2, &options, &refused), "AsyncGroupOptions::timeout is -2 ms");
}

TEST_CASE("a roll call is written as far as there is room") {
    const Joined half(2);
    std::array<char, 2000> text{};
    std::size_t length = 0;
    CHECK(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), &length) ==
          TUTTI_OK);
    CHECK(length == std::strlen(text.data()));
    CHECK(mentions(text.data(), "roll call of 2 members:\n"));
    CHECK(mentions(text.data(), "  member 1: not joined\n"));
    std::array<char, 10> cut{};
    CHECK(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_TEXT, cut.data(), cut.size(), nullptr) ==
          TUTTI_OK);
    CHECK(std::string(cut.data()) == "roll call");
    CHECK(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_JSON, nullptr, 0, &length) == TUTTI_OK);
    CHECK(length > 100);
    check_refused(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_TEXT, nullptr, 10, &length),
                  "group_roll_call: `text` is a null pointer, but `bytes` is 10");
    check_refused(tutti_group_roll_call(half.group, 2, text.data(), text.size(), nullptr), "`format` is 2");
    check_refused(tutti_group_roll_call(nullptr, 0, text.data(), text.size(), nullptr),
                  "`group` is a null pointer");

    tutti_team* team = nullptr;
    REQUIRE(tutti_team_create(3, nullptr, &team) == TUTTI_OK);
    CHECK(tutti_team_roll_call(team, TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), nullptr) == TUTTI_OK);
    CHECK(std::string(text.data()) == "roll call of 3 members:\n  members 0-2: no call yet\n");
    tutti_team_free(team);

    const Meeting meeting(2);
    CHECK(tutti_async_group_roll_call(meeting.get(), TUTTI_ROLL_CALL_TEXT, text.data(), text.size(),
                                      nullptr) == TUTTI_OK);
    CHECK(std::string(text.data()) == "roll call of an async group of 2 ranks:\n  ranks 0, 1: no call yet\n");
}
