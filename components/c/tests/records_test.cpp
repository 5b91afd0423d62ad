// The source lines of calls from C, and their traces.

#include "support.hpp"
#include "tests/on_threads.hpp"

#include <tutti/c.hpp>
#include <tutti/tutti.hpp>

using namespace tutti::test;

namespace {

std::string roll_call(const tutti_group* group) {
    std::array<char, 4000> text{};
    ok(tutti_group_roll_call(group, TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), nullptr));
    return text.data();
}

std::string line(int number) {
    return "at records_test.cpp:" + std::to_string(number);
}

/// Checks that a call has succeeded, and is shown at this line.
void check_at(const Joined& joined, tutti_status status, int number) {
    ok(status);
    CHECK(mentions(roll_call(joined.group), line(number)));
}

TEST_CASE("a roll call shows the line of a call from C, whichever way it is made") {
    const Joined joined;
    const tutti_caller me = joined.me;
    double x = 1;
    for (int round = 0; round < 3; ++round) { // prepared, and repeated
        check_at(joined, tutti_allreduce(me, TUTTI_IN_PLACE, &x, 1, TUTTI_DOUBLE, TUTTI_SUM), __LINE__);
        check_at(joined, tutti_barrier(me), __LINE__);
    }
    const std::size_t one[] = {1};
    check_at(joined, tutti_reduce_scatterv(me, TUTTI_IN_PLACE, &x, one, TUTTI_DOUBLE, TUTTI_SUM), __LINE__);
    tutti_request request = TUTTI_REQUEST_NULL;
    check_at(joined, tutti_broadcast(tutti_nonblocking(me, &request), &x, 1, TUTTI_DOUBLE, 0), __LINE__);
    ok(tutti_wait(&request));
    tutti_caller copy;
    check_at(joined, tutti_dup(me, &copy), __LINE__);
    ok(tutti_leave(copy));
    check_at(joined, tutti_split(me, 0, 0, &copy), __LINE__);
    ok(tutti_leave(copy));
    check_at(joined, tutti_split_by_level(me, TUTTI_LEVEL_CORE, &copy), __LINE__);
    ok(tutti_leave(copy));
    const int rank = 0;
    check_at(joined, tutti_subset(me, &rank, 1, &copy), __LINE__);
    ok(tutti_leave(copy));
}

TEST_CASE("a caller may be written with commas: a barrier's as it is, others in parentheses") {
    using Named = std::pair<int, tutti_caller>;
    const Joined joined;
    check_at(joined, tutti_barrier(Named{0, joined.me}.second), __LINE__);
    double x = 1;
    check_at(joined, tutti_broadcast((Named{0, joined.me}.second), &x, 1, TUTTI_DOUBLE, 0), __LINE__);
}

TEST_CASE("a call without a line shows none, whatever was called before") {
    const Joined joined;
    const tutti_caller me = joined.me;
    double x = 1;
    tutti_status (*const function)(tutti_caller) = tutti_barrier;
    for (int round = 0; round < 3; ++round) {
        tutti::c::member_of(me).barrier(); // in C++
        CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
        CHECK(function(me) == TUTTI_OK);
        CHECK(!mentions(roll_call(joined.group), "records_test"));
        tutti::c::member_of(me).barrier();
        CHECK((tutti_allreduce)(me, TUTTI_IN_PLACE, &x, 1, TUTTI_DOUBLE, TUTTI_SUM) == TUTTI_OK);
        CHECK(!mentions(roll_call(joined.group), "records_test"));
        CHECK(::tutti_barrier(me) == TUTTI_OK);
        CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
    }
}

TEST_CASE("a function that calls for its caller passes its line on") {
    const Joined joined;
    const auto halo = [](tutti_caller me) { return tutti_barrier(me); };
    CHECK(halo(tutti_at(joined.me, "solver.c", 31)) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), "at solver.c:31\n"));
    CHECK(halo(joined.me) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), line(__LINE__ - 4)));
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

int three_barriers(tutti_caller me, void* /*user*/) {
    int status = TUTTI_OK;
    for (int i = 0; i < 3 && status == TUTTI_OK; ++i) {
        status = tutti_barrier(me);
    }
    return status;
}

/// What write(text, bytes, length) writes, asked for its length first.
template <class Write>
std::string written(Write write) {
    std::size_t length = 0;
    REQUIRE(write(nullptr, 0, &length) == TUTTI_OK);
    std::string text(length + 64, 'x'); // clocks go on, so that the next one may be longer
    REQUIRE(write(text.data(), text.size(), &length) == TUTTI_OK);
    CHECK(text[length] == '\0');
    text.resize(length);
    return text;
}

TEST_CASE("a team's calls are recorded and told") {
    tutti_team_options options = TUTTI_TEAM_OPTIONS_INIT;
    tutti_group_options calls = TUTTI_GROUP_OPTIONS_INIT;
    calls.trace = TUTTI_TRACE_STEPS;
    options.group = &calls;
    tutti_team* team = nullptr;
    REQUIRE(tutti_team_create(2, &options, &team) == TUTTI_OK);
    REQUIRE(tutti_team_run(team, three_barriers, nullptr) == TUTTI_OK);
    const std::string lines = written([&](char* text, std::size_t bytes, std::size_t* length) {
        return tutti_team_trace(team, TUTTI_TRACE_JSON_LINES, text, bytes, length);
    });
    CHECK(mentions(lines, "\"name\":\"barrier (algorithm "));
    CHECK(mentions(lines, "\"kind\":\"step\""));
    CHECK(mentions(lines, "\"number\":3}"));
    const std::string slices = written([&](char* text, std::size_t bytes, std::size_t* length) {
        return tutti_team_trace(team, TUTTI_TRACE_PERFETTO, text, bytes, length);
    });
    CHECK(mentions(slices, "member 1"));
    refused(tutti_team_trace(team, 2, nullptr, 0, nullptr), "`format` is 2");
    tutti_team_free(team);
}

TEST_CASE("a group that records nothing says what would") {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    tutti_group* group = nullptr;
    options.trace = 4;
    refused(tutti_group_create(1, &options, &group), "`options.trace` is 4");
    options.trace = TUTTI_TRACE_OFF;
    REQUIRE(tutti_group_create(1, &options, &group) == TUTTI_OK);
    fails(tutti_group_trace(group, TUTTI_TRACE_JSON_LINES, nullptr, 0, nullptr), TUTTI_ERROR,
          "GroupOptions::trace");
    tutti_group_free(group);
}

} // namespace
