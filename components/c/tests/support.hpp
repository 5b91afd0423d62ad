#pragma once

#include "tests/test.hpp"

#include <tutti/tutti.h>

namespace tutti::test {

/// Checks that a call has succeeded.
inline void ok(tutti_status status) {
    CHECK_MESSAGE(status == TUTTI_OK, std::string(tutti_error_text()));
}

/// Checks that a call has failed so, with this in its text.
inline void fails(tutti_status status, tutti_status expected, const std::string& text) {
    CHECK(status == expected);
    CHECK_MESSAGE(mentions(tutti_error_text(), text), std::string(tutti_error_text()));
}
inline void refused(tutti_status status, const std::string& text) {
    fails(status, TUTTI_ARGUMENT_ERROR, text);
}

/// What a function of the program is given as `user`.
using MemberFunction = std::function<tutti_status(tutti_member)>;

inline tutti_status call_part(tutti_member me, void* user) {
    return (*static_cast<const MemberFunction*>(user))(me);
}

/// Runs `part` on every member of a team of its own.
inline tutti_status run_team(int members, MemberFunction part) {
    tutti_team_options options = TUTTI_TEAM_OPTIONS_INIT;
    options.placement = "none";
    tutti_team* team = nullptr;
    REQUIRE(tutti_team_create(members, &options, &team) == TUTTI_OK);
    const tutti_status status = tutti_team_run(team, call_part, &part);
    CHECK(tutti_team_free(team) == TUTTI_OK);
    return status;
}

/// Runs `part`, which returns a status or nothing, on every member, and checks that none has failed.
template <class Part>
void on_team(int members, const Part& part) {
    ok(run_team(members, [&](tutti_member me) {
        if constexpr (std::is_void_v<decltype(part(me))>) {
            part(me);
            return int{TUTTI_OK};
        } else {
            return part(me);
        }
    }));
}

inline tutti_request none() {
    return TUTTI_REQUEST_NULL;
}

/// Starts the sum of one number, `in`.
inline tutti_status start_sum(tutti_member me, tutti_request& request, const int& in, int& out) {
    return tutti_allreduce(tutti_nonblocking(me, &request), &in, &out, 1, TUTTI_INT, TUTTI_SUM);
}

/// A group of which member 0 has joined.
class Joined {
public:
    explicit Joined(int members = 1, const tutti_group_options* options = nullptr) {
        REQUIRE(tutti_group_create(members, options, &group) == TUTTI_OK);
        REQUIRE(tutti_join(group, 0, &me) == TUTTI_OK);
    }
    ~Joined() {
        tutti_leave(me);
        tutti_group_free(group);
    }
    Joined(const Joined&) = delete;
    Joined& operator=(const Joined&) = delete;

    tutti_group* group = nullptr;
    tutti_member me{};
};

/// An async group for one test.
class Meeting {
public:
    explicit Meeting(int ranks, const tutti_async_group_options* options = nullptr) {
        REQUIRE(tutti_async_group_create(ranks, options, &async_group_) == TUTTI_OK);
    }
    ~Meeting() { tutti_async_group_free(async_group_); }
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;

    tutti_async_group* get() const { return async_group_; }

private:
    tutti_async_group* async_group_ = nullptr;
};

} // namespace tutti::test
