// The source lines of calls from C, their roll calls and their traces.

#include "support.hpp"

#include <tutti/c.hpp>
#include <tutti/tutti.hpp>

using namespace tutti::test;

namespace {

std::string roll_call(const tutti_group* group) {
    std::array<char, 4000> text{};
    ok(tutti_group_roll_call(group, TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), nullptr));
    return text.data();
}

/// Checks that a call has succeeded, and is shown at this line; at none if that is 0.
void check_at(const Joined& joined, tutti_status status, int number) {
    ok(status);
    const std::string line = number != 0 ? "at records_test.cpp:" + std::to_string(number) : "records_test";
    CHECK(mentions(roll_call(joined.group), line) == (number != 0));
}

TEST_CASE("a roll call shows the line of a call from C, whichever way it is made") {
    const Joined joined;
    const tutti_member me = joined.me;
    double x = 1;
    for (int round = 0; round < 3; ++round) { // prepared, and repeated
        check_at(joined, tutti_allreduce(me, TUTTI_IN_PLACE, &x, 1, TUTTI_DOUBLE, TUTTI_SUM), __LINE__);
        check_at(joined, tutti_barrier(me), __LINE__);
    }
    const std::size_t one[] = {1};
    check_at(joined, tutti_reduce_scatterv(me, TUTTI_IN_PLACE, &x, one, TUTTI_DOUBLE, TUTTI_SUM), __LINE__);
    tutti_request request = none();
    check_at(joined, tutti_broadcast(tutti_nonblocking(me, &request), &x, 1, TUTTI_DOUBLE, 0), __LINE__);
    ok(tutti_wait(&request));
    std::array<tutti_member, 4> parts;
    check_at(joined, tutti_dup(me, parts.data()), __LINE__);
    check_at(joined, tutti_split(me, 0, 0, &parts[1]), __LINE__);
    check_at(joined, tutti_split_by_level(me, TUTTI_LEVEL_CORE, &parts[2]), __LINE__);
    const int rank = 0;
    check_at(joined, tutti_subset(me, &rank, 1, &parts[3]), __LINE__);
    for (const tutti_member& part : parts) {
        ok(tutti_leave(part));
    }
}

TEST_CASE("a member may be written with commas: a barrier's as it is, others in parentheses") {
    using Named = std::pair<int, tutti_member>;
    const Joined joined;
    check_at(joined, tutti_barrier(Named{0, joined.me}.second), __LINE__);
    double x = 1;
    check_at(joined, tutti_broadcast((Named{0, joined.me}.second), &x, 1, TUTTI_DOUBLE, 0), __LINE__);
}

TEST_CASE("a call without a line shows none, whatever was called before") {
    const Joined joined;
    const tutti_member me = joined.me;
    double x = 1;
    tutti_status (*const function)(tutti_member) = tutti_barrier;
    for (int round = 0; round < 3; ++round) {
        tutti::c_api::member_of(me).barrier(); // in C++
        check_at(joined, TUTTI_OK, __LINE__ - 1);
        check_at(joined, function(me), 0);
        tutti::c_api::member_of(me).barrier();
        check_at(joined, (tutti_allreduce)(me, TUTTI_IN_PLACE, &x, 1, TUTTI_DOUBLE, TUTTI_SUM), 0);
        check_at(joined, ::tutti_barrier(me), __LINE__);
    }
}

TEST_CASE("a function that calls for another passes its line on") {
    const Joined joined;
    const auto halo = [](tutti_member me) { return tutti_barrier(me); };
    ok(halo(tutti_at(joined.me, "solver.c", 31)));
    CHECK(mentions(roll_call(joined.group), "at solver.c:31\n"));
    check_at(joined, halo(joined.me), __LINE__ - 3);
}

TEST_CASE("an error has the line") {
    const Joined joined;
    double x = 1;
    tutti_error_info info = TUTTI_ERROR_INFO_INIT;
    CHECK(tutti_broadcast(joined.me, &x, 1, TUTTI_DOUBLE, 7) == TUTTI_ARGUMENT_ERROR);
    const unsigned expected = __LINE__ - 1;
    ok(tutti_last_error(&info));
    CHECK(std::string(info.file).ends_with("records_test.cpp"));
    CHECK(info.line == expected);
}

TEST_CASE("a roll call is written as far as there is room") {
    const Joined half(2);
    std::array<char, 2000> text{};
    std::size_t length = 0;
    ok(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), &length));
    CHECK(length == std::strlen(text.data()));
    CHECK(mentions(text.data(), "roll call of 2 members:\n"));
    std::array<char, 10> cut{};
    ok(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_TEXT, cut.data(), cut.size(), nullptr));
    CHECK(std::string(cut.data()) == "roll call");
    ok(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_JSON, text.data(), text.size(), nullptr));
    CHECK(text[0] == '{');
    refused(tutti_group_roll_call(half.group, TUTTI_ROLL_CALL_TEXT, nullptr, 10, &length),
            "group_roll_call: `text` is a null pointer, but `bytes` is 10");
    refused(tutti_group_roll_call(half.group, 2, text.data(), text.size(), nullptr), "`format` is 2");

    tutti_team* team = nullptr;
    REQUIRE(tutti_team_create(3, nullptr, &team) == TUTTI_OK);
    ok(tutti_team_roll_call(team, TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), nullptr));
    CHECK(std::string(text.data()) == "roll call of 3 members:\n  members 0-2: no call yet\n");
    tutti_team_free(team);

    const Meeting meeting(2);
    ok(tutti_async_group_roll_call(meeting.get(), TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), nullptr));
    CHECK(std::string(text.data()) == "roll call of an async group of 2 ranks:\n  ranks 0, 1: no call yet\n");
}

TEST_CASE("a team's calls are recorded and told") {
    tutti_team_options options = TUTTI_TEAM_OPTIONS_INIT;
    tutti_group_options calls = TUTTI_GROUP_OPTIONS_INIT;
    calls.trace = TUTTI_TRACE_STEPS;
    options.group = &calls;
    tutti_team* team = nullptr;
    REQUIRE(tutti_team_create(2, &options, &team) == TUTTI_OK);
    ok(tutti_team_run(
        team, [](tutti_member me, void*) { return tutti_barrier(me); }, nullptr));
    const auto written = [&](int format) {
        std::size_t length = 0;
        ok(tutti_team_trace(team, format, nullptr, 0, &length));
        std::string text(length + 64, 'x'); // clocks go on, so that the next one may be longer
        ok(tutti_team_trace(team, format, text.data(), text.size(), &length));
        CHECK(text[length] == '\0');
        return text;
    };
    const std::string lines = written(TUTTI_TRACE_JSON_LINES);
    CHECK(mentions(lines, "\"name\":\"barrier (algorithm "));
    CHECK(mentions(lines, "\"kind\":\"step\""));
    CHECK(mentions(written(TUTTI_TRACE_PERFETTO), "member 1"));
    refused(tutti_team_trace(team, 2, nullptr, 0, nullptr), "`format` is 2");
    tutti_team_free(team);
}

TEST_CASE("a group that records nothing says what would") {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    options.trace = TUTTI_TRACE_OFF;
    const Joined joined(1, &options);
    fails(tutti_group_trace(joined.group, TUTTI_TRACE_JSON_LINES, nullptr, 0, nullptr), TUTTI_ERROR,
          "GroupOptions::trace");
}

} // namespace
