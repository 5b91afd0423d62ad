#include "c/src/members.hpp"
#include "c/src/options.hpp"
#include "c/src/status.hpp"

#include <tutti/placement.hpp>
#include <tutti/tutti.h>

#include <algorithm>

using namespace tutti;

namespace {

TeamOptions chosen(const tutti_team_options* given) {
    const auto options = c::known("team", given, tutti_team_options TUTTI_TEAM_OPTIONS_INIT);
    TeamOptions made{.group = c::group_options("team", options.group),
                     .caller_is_member = options.caller_is_member != 0};
    if (options.placement != nullptr) {
        made.placement = options.placement;
    }
    return made;
}

} // namespace

tutti_status tutti_group_create(int members, const tutti_group_options* options, tutti_group** group) {
    return c::guarded([&] {
        auto& made = c::there("group", "group", group);
        made = nullptr;
        made = new tutti_group{Group(members, c::group_options("group", options))};
    });
}

tutti_status tutti_group_free(tutti_group* group) {
    delete group;
    return TUTTI_OK;
}

tutti_status tutti_group_size(const tutti_group* group, int* size) {
    return c::guarded(
        [&] { c::there("group_size", "size", size) = c::there("group_size", "group", group).group.size(); });
}

tutti_status tutti_group_set_timeout(tutti_group* group, int64_t milliseconds) {
    return c::guarded(
        [&] { c::there("group_set_timeout", "group", group).group.set_timeout(c::timeout(milliseconds)); });
}

tutti_status tutti_group_roll_call(const tutti_group* group, int format, char* text, size_t bytes,
                                   size_t* length) {
    constexpr const char* name = "group_roll_call";
    return c::guarded(
        [&] { c::write_roll_call(name, c::there(name, "group", group).group, format, text, bytes, length); });
}

tutti_status tutti_group_trace(const tutti_group* group, int format, char* text, size_t bytes,
                               size_t* length) {
    constexpr const char* name = "group_trace";
    return c::guarded(
        [&] { c::write_trace(name, c::there(name, "group", group).group, format, text, bytes, length); });
}

tutti_status tutti_join(tutti_group* group, int rank, tutti_caller* me) {
    return c::guarded([&] {
        c::there("join", "me", me) = {};
        Member member = c::there("join", "group", group).group.join(rank);
        const tutti_caller made = c::caller_of(member, 0);
        const std::uint64_t number = c::members.add(c::Seated(std::move(member)));
        *me = made;
        me->member = number;
    });
}

tutti_status tutti_group_run(tutti_group* group, int rank, tutti_member_function function, void* user) {
    return c::guarded([&] {
        c::there("group_run", "function", function);
        c::there("group_run", "group", group).group.run(rank, [&](Member& me) {
            c::call_as_member(me, function, user);
        });
    });
}

tutti_status tutti_team_create(int members, const tutti_team_options* options, tutti_team** team) {
    return c::guarded([&] {
        auto& made = c::there("team", "team", team);
        made = nullptr;
        const TeamOptions of_team = chosen(options);
        made = members == TUTTI_ONE_PER_CPU ? new tutti_team{Team(of_team)}
                                            : new tutti_team{Team(members, of_team)};
    });
}

tutti_status tutti_team_free(tutti_team* team) {
    delete team;
    return TUTTI_OK;
}

tutti_status tutti_team_size(const tutti_team* team, int* size) {
    return c::guarded(
        [&] { c::there("team_size", "size", size) = c::there("team_size", "team", team).team.size(); });
}

tutti_status tutti_team_cpus(const tutti_team* team, int cpus[]) {
    return c::guarded([&] {
        const Team& asked = c::there("team_cpus", "team", team).team;
        std::ranges::copy(asked.cpus(), &c::there("team_cpus", "cpus", cpus));
    });
}

tutti_status tutti_team_set_timeout(tutti_team* team, int64_t milliseconds) {
    return c::guarded(
        [&] { c::there("team_set_timeout", "team", team).team.set_timeout(c::timeout(milliseconds)); });
}

tutti_status tutti_team_roll_call(const tutti_team* team, int format, char* text, size_t bytes,
                                  size_t* length) {
    constexpr const char* name = "team_roll_call";
    return c::guarded(
        [&] { c::write_roll_call(name, c::there(name, "team", team).team, format, text, bytes, length); });
}

tutti_status tutti_team_trace(const tutti_team* team, int format, char* text, size_t bytes, size_t* length) {
    constexpr const char* name = "team_trace";
    return c::guarded(
        [&] { c::write_trace(name, c::there(name, "team", team).team, format, text, bytes, length); });
}

tutti_status tutti_team_run(tutti_team* team, tutti_member_function function, void* user) {
    return c::guarded([&] {
        c::there("team_run", "function", function);
        c::there("team_run", "team", team).team.run([&](Member& me) {
            c::call_as_member(me, function, user);
        });
    });
}
