// The source lines of calls from C.

#include "support.hpp"
#include "tests/on_threads.hpp"

#include <tutti/c.hpp>
#include <tutti/tutti.hpp>

using namespace tutti::test;

namespace {

std::string roll_call(const tutti_group* group) {
    std::array<char, 4000> text{};
    CHECK(tutti_group_roll_call(group, TUTTI_ROLL_CALL_TEXT, text.data(), text.size(), nullptr) == TUTTI_OK);
    return text.data();
}

std::string line(int number) {
    return "at lines_test.cpp:" + std::to_string(number);
}

} // namespace

TEST_CASE("a roll call shows the line of a call from C, whichever way it is made") {
    const Joined joined;
    const tutti_caller me = joined.me;
    double x = 1;
    for (int round = 0; round < 3; ++round) { // prepared, and repeated
        CHECK(tutti_allreduce(me, TUTTI_IN_PLACE, &x, 1, TUTTI_DOUBLE, TUTTI_SUM) == TUTTI_OK);
        CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
        CHECK(tutti_barrier(me) == TUTTI_OK);
        CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
    }
    const std::array<std::size_t, 1> counts{1};
    CHECK(tutti_reduce_scatterv(me, TUTTI_IN_PLACE, &x, counts.data(), TUTTI_DOUBLE, TUTTI_SUM) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
    tutti_request request = TUTTI_REQUEST_NULL;
    CHECK(tutti_broadcast(tutti_nonblocking(me, &request), &x, 1, TUTTI_DOUBLE, 0) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
    CHECK(tutti_wait(&request) == TUTTI_OK);
    tutti_caller copy;
    CHECK(tutti_dup(me, &copy) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
    CHECK(tutti_leave(copy) == TUTTI_OK);
    CHECK(tutti_split(me, 0, 0, &copy) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
    CHECK(tutti_leave(copy) == TUTTI_OK);
    CHECK(tutti_split_by_level(me, TUTTI_LEVEL_CORE, &copy) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
    CHECK(tutti_leave(copy) == TUTTI_OK);
    const int rank = 0;
    CHECK(tutti_subset(me, &rank, 1, &copy) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
    CHECK(tutti_leave(copy) == TUTTI_OK);
}

TEST_CASE("a caller may be written with commas: a barrier's as it is, others in parentheses") {
    using Named = std::pair<int, tutti_caller>;
    const Joined joined;
    CHECK(tutti_barrier(Named{0, joined.me}.second) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
    double x = 1;
    CHECK(tutti_broadcast((Named{0, joined.me}.second), &x, 1, TUTTI_DOUBLE, 0) == TUTTI_OK);
    CHECK(mentions(roll_call(joined.group), line(__LINE__ - 1)));
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
        CHECK(!mentions(roll_call(joined.group), "lines_test"));
        tutti::c::member_of(me).barrier();
        CHECK((tutti_allreduce)(me, TUTTI_IN_PLACE, &x, 1, TUTTI_DOUBLE, TUTTI_SUM) == TUTTI_OK);
        CHECK(!mentions(roll_call(joined.group), "lines_test"));
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
    CHECK(tutti_last_error(&info) == TUTTI_OK);
    CHECK(std::string(info.file).ends_with("lines_test.cpp"));
    CHECK(info.line == expected);
}
