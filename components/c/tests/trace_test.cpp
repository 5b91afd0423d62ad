#include "support.hpp"

using namespace tutti::test;

namespace {

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

} // namespace

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
    check_refused(tutti_team_trace(team, 2, nullptr, 0, nullptr), "`format` is 2");
    tutti_team_free(team);
}

TEST_CASE("a group that records nothing says what would") {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    tutti_group* group = nullptr;
    options.trace = 4;
    check_refused(tutti_group_create(1, &options, &group), "`options.trace` is 4");
    options.trace = TUTTI_TRACE_OFF;
    REQUIRE(tutti_group_create(1, &options, &group) == TUTTI_OK);
    CHECK(tutti_group_trace(group, TUTTI_TRACE_JSON_LINES, nullptr, 0, nullptr) == TUTTI_ERROR);
    CHECK(mentions(tutti_error_text(), "GroupOptions::trace"));
    tutti_group_free(group);
}
