#include "c/src/calls.hpp"
#include "shares.hpp"

#include <functional>

using namespace tutti;

namespace {

TeamOptions chosen(const tutti_team_options* given) {
    const auto options = c_api::known("team", given, tutti_team_options TUTTI_TEAM_OPTIONS_INIT);
    TeamOptions made{.group = c_api::group_options("team", options.group),
                     .caller_is_member = options.caller_is_member != 0};
    if (options.placement != nullptr) {
        made.placement = Placement::parse(options.placement);
    }
    return made;
}

/// The task of an executor: runs that it owes.
struct Task {
    Task(std::function<void(std::size_t)> does, std::size_t count)
        : run(std::move(does)), runs(count, count) {}

    std::function<void(std::size_t)> run;
    Shares runs;
};

/// Those that are not over. A number stands for the address that executors get, so that one that is kept too
/// long is known as such.
constinit c_api::Numbered<std::shared_ptr<Task>> tasks;

void finish(Task& task, std::uint64_t number) {
    if (task.runs.finish()) {
        tasks.take(number);
    }
}

void hand_on(tutti_executor executor, void* user, std::size_t count,
             const std::function<void(std::size_t)>& run) {
    const auto task = std::make_shared<Task>(run, count);
    const std::uint64_t number = tasks.add(task);
    // Those that have not begun never will.
    const auto give_up = [&] {
        for (std::size_t i = 0; i < count; ++i) {
            if (task->runs.take(i)) {
                finish(*task, number);
            }
        }
    };
    tutti_status status = TUTTI_OK;
    const std::uint64_t before = c_api::failures_noted();
    try {
        status = executor(user, count, c_api::handle_of<tutti_task>(number));
    } catch (...) {
        give_up();
        throw;
    }
    if (status != TUTTI_OK) {
        give_up();
        c_api::throw_status(status, "the executor", before);
    }
}

AsyncGroupOptions chosen(const tutti_async_group_options* given) {
    const auto options =
        c_api::known("async_group", given, tutti_async_group_options TUTTI_ASYNC_GROUP_OPTIONS_INIT);
    AsyncGroupOptions made{.slice_bytes = options.slice_bytes, .timeout = c_api::timeout(options.timeout_ms)};
    if (options.executor != nullptr) {
        made.executor = [executor = options.executor, user = options.user](
                            std::size_t count, const auto& run) { hand_on(executor, user, count, run); };
    }
    return made;
}

/// Writes a record of what a handle, the argument `name`, stands for.
template <class Handle, class Called, class Format>
tutti_status write(const char* function, const char* name, const Handle* handle, Called Handle::*called,
                   std::string (Called::*record)(Format) const, int format, char* text, size_t bytes,
                   size_t* length) {
    return c_api::guarded([&] {
        const Called& of = c_api::there(function, name, handle).*called;
        c_api::write_text(function, (of.*record)(c_api::one_of<Format>(function, "format", format)), text,
                          bytes, length);
    });
}

} // namespace

tutti_status tutti_group_create(int members, const tutti_group_options* options, tutti_group** group) {
    return c_api::guarded([&] {
        auto& made = c_api::there("group", "group", group);
        made = nullptr;
        made = new tutti_group{Group(members, c_api::group_options("group", options))};
    });
}

tutti_status tutti_group_free(tutti_group* group) {
    delete group;
    return TUTTI_OK;
}

tutti_status tutti_group_size(const tutti_group* group, int* size) {
    return c_api::guarded([&] {
        c_api::there("group_size", "size", size) = c_api::there("group_size", "group", group).group.size();
    });
}

tutti_status tutti_group_set_timeout(tutti_group* group, int64_t milliseconds) {
    return c_api::guarded([&] {
        c_api::there("group_set_timeout", "group", group).group.set_timeout(c_api::timeout(milliseconds));
    });
}

tutti_status tutti_group_roll_call(const tutti_group* group, int format, char* text, size_t bytes,
                                   size_t* length) {
    return write("group_roll_call", "group", group, &tutti_group::group, &Group::roll_call, format, text,
                 bytes, length);
}

tutti_status tutti_group_trace(const tutti_group* group, int format, char* text, size_t bytes,
                               size_t* length) {
    return write("group_trace", "group", group, &tutti_group::group, &Group::trace, format, text, bytes,
                 length);
}

tutti_status tutti_join(tutti_group* group, int rank, tutti_member* me) {
    return c_api::guarded([&] {
        c_api::there("join", "me", me) = {};
        *me = c_api::c_member_of(c_api::Seated(c_api::there("join", "group", group).group.join(rank)));
    });
}

tutti_status tutti_group_run(tutti_group* group, int rank, tutti_member_function function, void* user) {
    return c_api::guarded([&] {
        c_api::there("group_run", "function", function);
        c_api::there("group_run", "group", group).group.run(rank, [&](Member& me) {
            c_api::call_as_member(me, function, user);
        });
    });
}

tutti_status tutti_team_create(int members, const tutti_team_options* options, tutti_team** team) {
    return c_api::guarded([&] {
        auto& made = c_api::there("team", "team", team);
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
    return c_api::guarded([&] {
        c_api::there("team_size", "size", size) = c_api::there("team_size", "team", team).team.size();
    });
}

tutti_status tutti_team_cpus(const tutti_team* team, int cpus[]) {
    return c_api::guarded([&] {
        const Team& asked = c_api::there("team_cpus", "team", team).team;
        std::ranges::copy(asked.cpus(), &c_api::there("team_cpus", "cpus", cpus));
    });
}

tutti_status tutti_team_set_timeout(tutti_team* team, int64_t milliseconds) {
    return c_api::guarded([&] {
        c_api::there("team_set_timeout", "team", team).team.set_timeout(c_api::timeout(milliseconds));
    });
}

tutti_status tutti_team_roll_call(const tutti_team* team, int format, char* text, size_t bytes,
                                  size_t* length) {
    return write("team_roll_call", "team", team, &tutti_team::team, &Team::roll_call, format, text, bytes,
                 length);
}

tutti_status tutti_team_trace(const tutti_team* team, int format, char* text, size_t bytes, size_t* length) {
    return write("team_trace", "team", team, &tutti_team::team, &Team::trace, format, text, bytes, length);
}

tutti_status tutti_team_run(tutti_team* team, tutti_member_function function, void* user) {
    return c_api::guarded([&] {
        c_api::there("team_run", "function", function);
        c_api::there("team_run", "team", team).team.run([&](Member& me) {
            c_api::call_as_member(me, function, user);
        });
    });
}

tutti_status tutti_task_run(tutti_task* task, size_t i) {
    return c_api::guarded([&] {
        const auto number = c_api::number_of(&c_api::there("task_run", "task", task));
        // A copy: a thread that runs a task again may come while another one makes the last run.
        const std::shared_ptr<Task> own = tasks.copy(number).value_or(nullptr);
        if (own == nullptr) {
            c_api::refuse("task_run", "`task` is finished: all of its runs have been made or cancelled");
        }
        if (i >= own->runs.count()) {
            c_api::refuse("task_run", "`i` is " + std::to_string(i) + ", must be less than " +
                                          std::to_string(own->runs.count()));
        }
        if (!own->runs.take(i)) {
            c_api::refuse("task_run",
                          "`i` is " + std::to_string(i) + ", whose run has been made or cancelled");
        }
        own->run(i);
        finish(*own, number);
    });
}

tutti_status tutti_async_group_create(int ranks, const tutti_async_group_options* options,
                                      tutti_async_group** async_group) {
    return c_api::guarded([&] {
        auto& made = c_api::there("async_group", "async_group", async_group);
        made = nullptr;
        made = new tutti_async_group{AsyncGroup(ranks, chosen(options))};
    });
}

tutti_status tutti_async_group_free(tutti_async_group* async_group) {
    delete async_group;
    return TUTTI_OK;
}

tutti_status tutti_async_group_roll_call(const tutti_async_group* async_group, int format, char* text,
                                         size_t bytes, size_t* length) {
    return write("async_group_roll_call", "async_group", async_group, &tutti_async_group::async_group,
                 &AsyncGroup::roll_call, format, text, bytes, length);
}

tutti_status tutti_async_group_size(const tutti_async_group* async_group, int* size) {
    return c_api::guarded([&] {
        c_api::there("async_group_size", "size", size) =
            c_api::there("async_group_size", "async_group", async_group).async_group.size();
    });
}
