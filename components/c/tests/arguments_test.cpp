// Arguments, members and options that are refused, and what is said of them.

#include "support.hpp"

#include <tutti/placement.hpp>

using namespace tutti::test;

TEST_CASE("null pointers are named") {
    const auto null = [](tutti_status status, const char* what) {
        refused(status, std::string(what) + "` is a null pointer");
    };
    const Joined alone;
    const tutti_member me = alone.me;
    tutti_member part{};
    tutti_request request = none();
    tutti_op op = 0;
    double one = 1;
    int done = 0;
    std::size_t index = 0;
    const std::size_t counts[] = {1};
    null(tutti_group_create(1, nullptr, nullptr), "group: `group");
    null(tutti_group_size(nullptr, &done), "group_size: `group");
    null(tutti_group_size(alone.group, nullptr), "group_size: `size");
    null(tutti_join(nullptr, 0, &part), "join: `group");
    null(tutti_join(alone.group, 0, nullptr), "join: `me");
    null(tutti_group_run(nullptr, 0, call_part, nullptr), "group_run: `group");
    null(tutti_group_run(alone.group, 0, nullptr, nullptr), "group_run: `function");
    null(tutti_group_roll_call(nullptr, 0, nullptr, 0, nullptr), "group_roll_call: `group");
    null(tutti_team_create(1, nullptr, nullptr), "team: `team");
    null(tutti_team_run(nullptr, call_part, nullptr), "team_run: `team");
    null(tutti_team_cpus(nullptr, &done), "team_cpus: `team");
    null(tutti_async_group_create(1, nullptr, nullptr), "async_group: `async_group");
    null(tutti_op_create(nullptr, nullptr, 1, nullptr), "op_create: `op");
    null(tutti_op_create(nullptr, nullptr, 1, &op), "op_create: `function");
    null(tutti_task_run(nullptr, 0), "task_run: `task");
    null(tutti_allreduce(me, nullptr, &one, 1, TUTTI_DOUBLE, TUTTI_SUM), "allreduce: `in");
    null(tutti_allreduce(me, &one, nullptr, 1, TUTTI_DOUBLE, TUTTI_SUM), "allreduce: `out");
    null(tutti_broadcast(me, nullptr, 1, TUTTI_DOUBLE, 0), "broadcast: `inout");
    null(tutti_allgatherv(me, &one, 1, &one, nullptr, nullptr, TUTTI_DOUBLE), "allgatherv: `counts");
    null(tutti_gatherv(me, &one, 1, &one, nullptr, nullptr, TUTTI_DOUBLE, 0), "gatherv: `counts");
    null(tutti_alltoallv(me, &one, nullptr, nullptr, &one, counts, nullptr, TUTTI_DOUBLE),
         "alltoallv: `send_counts");
    null(tutti_alltoallv(me, &one, counts, nullptr, &one, nullptr, nullptr, TUTTI_DOUBLE),
         "alltoallv: `recv_counts");
    null(tutti_reproducible_sum(me, &one, 1, TUTTI_DOUBLE, nullptr), "reproducible_sum: `result");
    null(tutti_reproducible_sum(me, nullptr, 1, TUTTI_DOUBLE, &one), "reproducible_sum: `terms");
    null(tutti_reproducible_dot(me, &one, nullptr, 1, TUTTI_DOUBLE, &one), "reproducible_dot: `b");
    null(tutti_reproducible_norm2(me, nullptr, 1, TUTTI_DOUBLE, &one), "reproducible_norm2: `x");
    null(tutti_barrier(tutti_nonblocking(me, nullptr)), "barrier: `request");
    null(tutti_split(me, 0, 0, nullptr), "split: `part");
    null(tutti_split_by_level(me, 0, nullptr), "split_by_level: `part");
    null(tutti_cpu(me, nullptr), "cpu: `cpu");
    null(tutti_subset(me, nullptr, 1, &part), "subset: `ranks");
    null(tutti_among(me, 1, 0, 1, nullptr), "among: `part");
    null(tutti_wait(nullptr), "wait: `request");
    null(tutti_wait_all(nullptr, 2), "wait_all: `requests");
    null(tutti_test(&request, nullptr), "test: `done");
    null(tutti_wait_any(&request, 1, nullptr), "wait_any: `index");
    null(tutti_test_any(&request, 1, nullptr, &done), "test_any: `index");
    null(tutti_test_any(&request, 1, &index, nullptr), "test_any: `done");
    null(tutti_test_any(nullptr, 1, &index, &done), "test_any: `requests");
    null(tutti_test_all(&request, 1, nullptr), "test_all: `done");
    null(tutti_test_all(nullptr, 1, &done), "test_all: `requests");
    null(tutti_wait_for(nullptr, 1, &done), "wait_for: `request");
    null(tutti_then(&request, nullptr, nullptr), "then: `function");
    null(tutti_last_error(nullptr), "last_error: `info");
    null(tutti_save_tuning(nullptr), "save_tuning: `path");
    ok(tutti_group_free(nullptr));
    ok(tutti_team_free(nullptr));
    ok(tutti_async_group_free(nullptr));
    ok(tutti_request_free(nullptr));
    ok(tutti_op_free(0));
}

TEST_CASE("arguments that make no sense are named") {
    const Joined alone;
    const tutti_member me = alone.me;
    std::array<double, 4> in{1, 2, 3, 4}, out{};
    tutti_member part{};
    tutti_request request = none();
    const auto sum = [&](tutti_type type, tutti_op op) {
        return tutti_allreduce(me, in.data(), out.data(), 2, type, op);
    };
    refused(sum(0, TUTTI_SUM), "allreduce: `type` is 0");
    refused(sum(TUTTI_SUM, TUTTI_DOUBLE), "`type` is 65");
    refused(sum(TUTTI_DOUBLE, TUTTI_DOUBLE), "`op` is 10");
    refused(sum(tutti_type_of_size(0), TUTTI_SUM), "`type` is 0");
    refused(sum(tutti_type_of_size(~std::size_t{0}), TUTTI_SUM), "`type` is 0");
    refused(sum(tutti_type_of_size(8), TUTTI_SUM), "sum");
    refused(sum(TUTTI_DOUBLE, TUTTI_BAND), "allreduce: `op`: operator band has no compiled kernel");
    refused(tutti_reduce_local(in.data(), out.data(), 2, TUTTI_DOUBLE, TUTTI_BAND),
            "reduce_local: `op`: operator band");
    refused(sum(TUTTI_DOUBLE, std::uint64_t{1} << 40U), "`op` is");
    refused(sum(TUTTI_DOUBLE, TUTTI_MINLOC), "of pairs, such as TUTTI_DOUBLE_INT or TUTTI_2DOUBLE");
    refused(sum(TUTTI_DOUBLE, TUTTI_MAXLOC + 1), "neither a TUTTI_... operator");
    refused(tutti_op_free(TUTTI_SUM), "op_free: `op`");
    refused(tutti_allreduce(me, in.data(), out.data(), ~std::size_t{0}, TUTTI_DOUBLE, TUTTI_SUM),
            "would be longer than memory: `n` is 18446744073709551615");
    refused(tutti_gather(me, in.data(), out.data(), 1, TUTTI_DOUBLE, -1), "`root` is -1");
    refused(tutti_reproducible_sum(me, in.data(), 1, TUTTI_INT, out.data()),
            "reproducible_sum: `type` must be TUTTI_DOUBLE or TUTTI_FLOAT");
    refused(tutti_reproducible_sum(tutti_nonblocking(me, &request), in.data(), 1, TUTTI_DOUBLE, out.data()),
            "reproducible_sum");
    const std::size_t counts[] = {2}, huge[] = {~std::size_t{0}}, places[] = {1};
    refused(tutti_gatherv(tutti_nonblocking(me, &request), in.data(), 1, out.data(), counts, nullptr,
                          TUTTI_DOUBLE, 0),
            "gatherv: `block` has 1 element, but `counts[0]` is 2");
    refused(tutti_allgatherv(me, in.data(), 1, out.data(), huge, places, TUTTI_DOUBLE), "overflows");
    refused(tutti_join(alone.group, 1, &part), "rank is 1");
    refused(tutti_join(alone.group, 0, &part), "taken");
    CHECK(part.size == 0);
    refused(tutti_group_run(alone.group, 7, call_part, nullptr), "rank is 7");
    tutti_group* group = nullptr;
    refused(tutti_group_create(0, nullptr, &group), "members is 0");
    CHECK(group == nullptr);
    const int ranks[] = {0, 3};
    refused(tutti_subset(me, ranks, 2, &part), "3");
    refused(tutti_among(me, 2, 0, 1, &part), "among: `count` is 2");
    for (const int level : {-1, TUTTI_LEVEL_CORE + 1, 256}) {
        refused(tutti_split_by_level(me, level, &part),
                "split_by_level: `level` is " + std::to_string(level));
    }
}

TEST_CASE("a call that is repeated but for an address that is wrong") {
    const Joined alone;
    std::array<std::uint8_t, 16> bytes{1, 2, 3, 4}, copies{};
    alignas(8) std::array<double, 3> in{1, 2, 3}, out{};
    const auto sum = [&](const void* from, void* to) {
        return tutti_allreduce(alone.me, from, to, 2, TUTTI_DOUBLE, TUTTI_SUM);
    };
    const auto all = [&](void* to, std::size_t n) {
        return tutti_alltoall(alone.me, bytes.data(), to, n, TUTTI_UINT8);
    };
    for (int i = 0; i < 3; ++i) {
        REQUIRE(sum(in.data(), out.data()) == TUTTI_OK);
        refused(sum(nullptr, out.data()), "allreduce: `in` is a null pointer");
        refused(sum(in.data(), nullptr), "allreduce: `out` is a null pointer");
        refused(sum(reinterpret_cast<char*>(in.data()) + 1, out.data()), "`in` is not aligned");
        refused(sum(in.data(), in.data() + 1), "overlap");
        REQUIRE(sum(TUTTI_IN_PLACE, out.data()) == TUTTI_OK);
        refused(sum(TUTTI_IN_PLACE, nullptr), "allreduce: `out` is a null pointer");
        REQUIRE(all(copies.data(), 2) == TUTTI_OK);
        refused(all(const_cast<void*>(TUTTI_IN_PLACE), 2), "`out` is TUTTI_IN_PLACE");
        refused(all(copies.data(), ~std::size_t{0}), "longer than memory");
    }
    CHECK(copies[1] == 2);
    CHECK(out[1] == 2);
}

TEST_CASE("members that are none, or are to call in a way that there is not") {
    const Joined alone;
    const tutti_member me = alone.me;
    double one = 1;
    tutti_request request = none();
    const std::size_t counts[] = {1};
    tutti_member garbage;
    std::fill_n(reinterpret_cast<unsigned char*>(&garbage), sizeof garbage, 0xa5);
    CHECK(tutti_barrier(garbage) == TUTTI_ARGUMENT_ERROR);
    tutti_member copy{};
    REQUIRE(tutti_dup(me, &copy) == TUTTI_OK);
    CHECK(copy.size == 1);
    REQUIRE(tutti_leave(copy) == TUTTI_OK);
    refused(tutti_barrier(copy), "barrier: `me` is not a member");
    refused(tutti_leave(copy), "leave: `me` is not a member");
    refused(tutti_split(tutti_nonblocking(me, &request), 0, 0, &copy), "split: `me` must be the member");
    refused(tutti_leave(tutti_shared_output(me)), "leave: `me` must be the member");
    refused(tutti_barrier(tutti_persistent(tutti_nonblocking(me, &request), &request)),
            "`me` is not a member");
    const tutti_member sharing = tutti_shared_output(me), counting = tutti_counts_on_all(me);
    refused(tutti_broadcast(sharing, &one, 1, TUTTI_DOUBLE, 0), "tutti_shared_output()");
    refused(tutti_allreduce(sharing, TUTTI_IN_PLACE, &one, 1, TUTTI_DOUBLE, TUTTI_SUM),
            "tutti_shared_output()");
    refused(tutti_gather(counting, TUTTI_IN_PLACE, &one, 1, TUTTI_DOUBLE, 0),
            "gather: `me` comes from tutti_counts_on_all()");
    refused(tutti_allgatherv(counting, TUTTI_IN_PLACE, 1, &one, counts, nullptr, TUTTI_DOUBLE),
            "allgatherv: `me` comes from tutti_counts_on_all()");
    on_team(2, [](tutti_member lent) {
        refused(tutti_leave(lent), "leave: `me` leaves when its member function returns");
        ok(tutti_barrier(lent));
    });
}

TEST_CASE("a member of zeros is no member for any function") {
    using Me = tutti_member;
    constexpr std::size_t too_long = ~std::size_t{0}; // what else is wrong is found later
    constexpr tutti_type f64 = TUTTI_DOUBLE;
    static tutti_member part;
    static tutti_request request;
    static tutti_neighbors* neighbors;
    static int list[1];
    static double x[1];
    static std::size_t counts[1];
    const std::vector<tutti_status (*)(Me)> functions = {
        [](Me me) { return tutti_barrier(me); },
        [](Me me) { return tutti_barrier(tutti_at(me, "here", 1)); },
        [](Me me) { return tutti_barrier(tutti_nonblocking(me, &request)); },
        [](Me me) { return tutti_barrier(tutti_persistent(me, &request)); },
        [](Me me) { return tutti_barrier(tutti_with_options(me, nullptr)); },
        [](Me me) { return tutti_allreduce(tutti_shared_output(me), x, x, 1, f64, TUTTI_SUM); },
        [](Me me) { return tutti_gatherv(tutti_counts_on_all(me), x, 1, x, counts, nullptr, f64, 0); },
        [](Me me) { return tutti_broadcast(me, x, 1, f64, 9); },
        [](Me me) { return tutti_reduce(me, x, x, 1, f64, TUTTI_SUM, 9); },
        [](Me me) { return tutti_allreduce(me, x, x, 1, f64, TUTTI_SUM); },
        [](Me me) { return tutti_reduce_scatter(me, x, x, 1, f64, TUTTI_SUM); },
        [](Me me) { return tutti_allgather(me, x, x, 1, f64); },
        [](Me me) { return tutti_gather(me, x, x, 1, f64, 9); },
        [](Me me) { return tutti_scatter(me, x, x, 1, f64, 9); },
        [](Me me) { return tutti_alltoall(me, x, x, 1, f64); },
        [](Me me) { return tutti_scan(me, x, x, 1, f64, TUTTI_SUM); },
        [](Me me) { return tutti_exscan(me, x, x, 1, f64, TUTTI_SUM); },
        [](Me me) { return tutti_shift(me, x, x, 1, f64, 1); },
        [](Me me) { return tutti_reduce_scatterv(me, x, x, counts, f64, TUTTI_SUM); },
        [](Me me) { return tutti_allgatherv(me, x, 1, x, counts, nullptr, f64); },
        [](Me me) { return tutti_gatherv(me, x, 1, x, counts, nullptr, f64, 9); },
        [](Me me) { return tutti_scatterv(me, x, counts, nullptr, x, 1, f64, 9); },
        [](Me me) { return tutti_alltoallv(me, x, counts, nullptr, x, counts, nullptr, f64); },
        [](Me me) { return tutti_neighbors_create(me, list, too_long, list, 1, &neighbors); },
        [](Me me) { return tutti_neighbors_grid(me, list, list, too_long, &neighbors); },
        [](Me me) { return tutti_neighbor_alltoall(me, neighbors, x, x, 1, f64); },
        [](Me me) {
            return tutti_neighbor_alltoallv(me, neighbors, x, counts, nullptr, x, counts, nullptr, f64);
        },
        [](Me me) { return tutti_reproducible_sum(me, x, 1, f64, x); },
        [](Me me) { return tutti_reproducible_dot(me, x, x, 1, f64, x); },
        [](Me me) { return tutti_reproducible_norm2(me, x, 1, f64, x); },
        [](Me me) { return tutti_leave(me); },
        [](Me me) { return tutti_abort(me, ""); },
        [](Me me) { return tutti_cpu(me, list); },
        [](Me me) { return tutti_split(me, 0, 0, &part); },
        [](Me me) { return tutti_split_by_level(me, 99, &part); },
        [](Me me) { return tutti_subset(me, list, too_long, &part); },
        [](Me me) { return tutti_dup(me, &part); },
        [](Me me) { return tutti_among(me, 7, 0, 1, &part); },
    };
    CHECK(functions.size() == 38); // all that take a member
    for (const auto& function : functions) {
        CAPTURE(&function - functions.data());
        refused(function({}), "`me` is not a member");
    }
}

TEST_CASE("a list that is longer than memory is refused") {
    const Joined alone;
    constexpr std::size_t too_long = ~std::size_t{0};
    const int ranks[] = {0};
    tutti_member part{};
    tutti_neighbors* neighbors = nullptr;
    tutti_request requests[] = {none()};
    std::size_t index = 0;
    int done = 0;
    tutti_group* group = nullptr;
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    options.levels = ranks;
    options.level_count = too_long;
    const auto longer = [](tutti_status status) { refused(status, "would be longer than memory"); };
    longer(tutti_group_create(1, &options, &group));
    longer(tutti_subset(alone.me, ranks, too_long, &part));
    longer(tutti_neighbors_create(alone.me, ranks, too_long, ranks, 1, &neighbors));
    longer(tutti_neighbors_create(alone.me, ranks, 1, ranks, too_long, &neighbors));
    longer(tutti_neighbors_grid(alone.me, ranks, ranks, too_long, &neighbors));
    longer(tutti_wait_all(requests, too_long));
    longer(tutti_test_all(requests, too_long, &done));
    longer(tutti_wait_any(requests, too_long, &index));
    longer(tutti_test_any(requests, too_long, &index, &done));
}

TEST_CASE("who has no place in a part has nothing to leave") {
    const Joined alone;
    tutti_member part = alone.me;
    REQUIRE(tutti_split(alone.me, -1, 0, &part) == TUTTI_OK);
    CHECK(part.size == 0);
    refused(tutti_leave(part), "leave: `me` is not a member");
}

TEST_CASE("options of calls are checked, and those of another version known") {
    const Joined alone;
    double one = 1;
    tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
    const auto sum = [&](const tutti_call_options* with) {
        return tutti_allreduce(tutti_with_options(alone.me, with), TUTTI_IN_PLACE, &one, 1, TUTTI_DOUBLE,
                               TUTTI_SUM);
    };
    CHECK(sum(&options) == TUTTI_OK);
    options.order = TUTTI_ORDER_SERIAL;
    options.algorithm = "ring";
    CHECK(sum(&options) == TUTTI_ARGUMENT_ERROR); // as in C++: a ring has an order of its own
    options.order = TUTTI_ORDER_CANONICAL;
    CHECK(sum(&options) == TUTTI_OK);
    options.algorithm = nullptr;
    options.order = 7;
    refused(sum(&options), "`options.order` is 7, must be 0 (canonical), 1 (serial) or 2 (by_process)");
    const tutti_member with = tutti_with_options(alone.me, &options);
    options.order = 100'000; // the member has a copy
    refused(tutti_barrier(with), "`options.order` is 7");
    ok(tutti_barrier(tutti_with_options(with, nullptr)));
    int cpu = 0;
    tutti_member copy{};
    ok(tutti_cpu(with, &cpu)); // options are for collectives, and disturb nothing else
    ok(tutti_dup(with, &copy));
    ok(tutti_leave(tutti_with_options(copy, &options)));
    options.size = sizeof options.size + sizeof options.algorithm; // of a program that knows no order
    CHECK(sum(&options) == TUTTI_OK);
    options.size = 0;
    refused(sum(&options), "`options.size` is wrong");
    struct {
        tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
        std::uint64_t later = 0;
    } newer;
    newer.options.size = sizeof newer;
    CHECK(sum(&newer.options) == TUTTI_OK);
    newer.later = 1;
    refused(sum(&newer.options), "does not support");
}

TEST_CASE("options of groups and async groups are passed on") {
    tutti_group* group = nullptr;
    const auto refuses = [&](void (*set)(tutti_group_options&), const char* text) {
        tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
        set(options);
        refused(tutti_group_create(4, &options, &group), text);
    };
    using Given = tutti_group_options;
    refuses([](Given& options) { options.wait = 9; },
            "`options.wait` is 9, must be 0 (automatic), 1 (spin), 2 (yield) or 3 (sleep)");
    refuses([](Given& options) { options.trace = 4; }, "`options.trace` is 4");
    refuses([](Given& options) { options.timeout_ms = -2; }, "timeout is -2 ms, must be positive, or never");
    refuses([](Given& options) { options.join_timeout_ms = -2; }, "join_timeout is -2 ms");
    refuses([](Given& options) { options.level_count = 2; }, "`options.levels` is a null pointer");
    static constexpr std::array levels{3, 2};
    refuses(
        [](Given& options) {
            options.levels = levels.data();
            options.level_count = 2;
        },
        "the product of the sizes {3, 2} is not the number of");
    tutti_async_group_options of_async = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
    of_async.timeout_ms = -2;
    tutti_async_group* async_group = nullptr;
    refused(tutti_async_group_create(2, &of_async, &async_group), "AsyncGroupOptions::timeout is -2 ms");
}

TEST_CASE("options of teams are passed on") {
    tutti_group_options of_group = TUTTI_GROUP_OPTIONS_INIT;
    tutti_team* team = nullptr;
    tutti_team_options options = TUTTI_TEAM_OPTIONS_INIT;
    options.placement = "nowhere";
    refused(tutti_team_create(1, &options, &team), "nowhere");
    refused(tutti_team_create(-1, nullptr, &team), "members is -1, must be in 1..65535");
    options.placement = "none";
    options.caller_is_member = 1;
    of_group.wait = 9;
    options.group = &of_group;
    refused(tutti_team_create(3, &options, &team), "`options.wait` is 9");
    options.group = nullptr;
    REQUIRE(tutti_team_create(3, &options, &team) == TUTTI_OK);
    int size = 0;
    ok(tutti_team_size(team, &size));
    CHECK(size == 3);
    std::array cpus{0, 0, 0, 7};
    ok(tutti_team_cpus(team, cpus.data()));
    CHECK(cpus == std::array{-1, -1, -1, 7});
    refused(tutti_team_cpus(team, nullptr), "team_cpus: `cpus` is a null pointer");
    const auto caller = std::this_thread::get_id();
    MemberFunction part = [&](tutti_member member) {
        CHECK((member.rank == 0) == (std::this_thread::get_id() == caller));
        return tutti_barrier(member);
    };
    ok(tutti_team_run(team, call_part, &part));
    ok(tutti_team_free(team));
    REQUIRE(tutti_team_create(TUTTI_ONE_PER_CPU, nullptr, &team) == TUTTI_OK);
    ok(tutti_team_size(team, &size));
    CHECK(size == static_cast<int>(tutti::cpus_of_placement({}, 0).size()));
    ok(tutti_team_free(team));
}
