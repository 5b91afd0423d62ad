// What goes wrong, and what is said of it.

#include "support.hpp"
#include "tests/fast_clock.hpp"

#include <unistd.h>

using namespace tutti::test;

TEST_CASE("an abort has the text of the program, or one that names it") {
    for (const char* const text : {static_cast<const char*>(nullptr), "", "stop it"}) {
        const Joined half;
        ok(tutti_abort(half.me, text));
        const bool has_text = text != nullptr && *text != 0;
        fails(tutti_barrier(half.me), TUTTI_ABORTED,
              "member 0 failed: " + std::string(has_text ? text : "abort() was called without a text"));
    }
}

TEST_CASE("a seat that nobody takes is named") {
    const FastClock clock(10);
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    options.join_timeout_ms = 30;
    const Joined half(2, &options);
    fails(tutti_barrier(half.me), TUTTI_ERROR, "member 1 has not joined within 30 ms");
}

TEST_CASE("what a member's function returns is what the run returns") {
    const tutti_status status = run_team(4, [&](tutti_member me) {
        if (me.rank == 2) {
            return 123;
        }
        fails(tutti_barrier(me), TUTTI_ABORTED, "member 2 failed: the function of member 2 has returned 123");
        return int{TUTTI_ABORTED};
    });
    fails(status, 123, "the function of member 2 has returned 123");

    // What the library has said goes on to the others and to the caller.
    const tutti_status wrong = run_team(3, [&](tutti_member me) {
        double one = 1;
        return me.rank == 1 ? tutti_broadcast(me, &one, 1, TUTTI_DOUBLE, 9) : tutti_barrier(me);
    });
    refused(wrong, "broadcast: `root` is 9");
}

TEST_CASE("the first status is returned with its text, although later calls have failed as well") {
    double one = 1;
    for (const bool is_of_the_function : {true, false}) {
        tutti_group* group = nullptr;
        REQUIRE(tutti_group_create(1, nullptr, &group) == TUTTI_OK);
        MemberFunction part = [&](tutti_member me) {
            if (is_of_the_function) { // as in a callback that cannot pass a status on
                refused(tutti_broadcast(me, &one, 1, TUTTI_DOUBLE, 9), "`root` is 9");
                CHECK(tutti_group_trace(group, TUTTI_TRACE_JSON_LINES, nullptr, 0, nullptr) == TUTTI_ERROR);
            }
            return int{TUTTI_ARGUMENT_ERROR};
        };
        // The second function has met no failure of this status: the text of an earlier one is not its own.
        fails(tutti_group_run(group, 0, call_part, &part), TUTTI_ARGUMENT_ERROR,
              is_of_the_function ? "broadcast: `root` is 9" : "the function of member 0 has returned 1");
        ok(tutti_group_free(group));
    }
}

TEST_CASE("operators that have been freed are known as such, and calls in flight keep theirs") {
    tutti_op op = 0;
    const auto keep_right = [](const void*, void*, std::size_t, void*) {};
    REQUIRE(tutti_op_create(keep_right, nullptr, 0, &op) == TUTTI_OK);
    std::barrier prepared(2, [&]() noexcept { tutti_op_free(op); });
    on_team(2, [&](tutti_member me) {
        double in = me.rank, out = 9;
        tutti_request request = none();
        ok(tutti_scan(tutti_persistent(me, &request), &in, &out, 1, TUTTI_DOUBLE, op));
        prepared.arrive_and_wait();
        ok(tutti_start(&request));
        ok(tutti_wait(&request));
        CHECK(out == me.rank);
        ok(tutti_request_free(&request));
        refused(tutti_reduce_local(&in, &out, 1, TUTTI_DOUBLE, op), "neither a TUTTI_... operator");
    });
    CHECK(tutti_op_free(op) == TUTTI_ARGUMENT_ERROR);
}

TEST_CASE("the text of a failure is that of the thread, until its next one") {
    std::thread([] {
        CHECK(std::string(tutti_error_text()).empty());
        CHECK(tutti_wait(nullptr) == TUTTI_ARGUMENT_ERROR);
        ok(tutti_group_free(nullptr));
        CHECK(mentions(tutti_error_text(), "wait"));
        std::thread([] { CHECK(std::string(tutti_error_text()).empty()); }).join();
        refused(tutti_task_run(nullptr, 0), "task_run");
    }).join();
}

TEST_CASE("each status has a text") {
    const char* const texts[] = {"TUTTI_OK: ",
                                 "TUTTI_ARGUMENT_ERROR: ",
                                 "TUTTI_MISMATCH_ERROR: ",
                                 "TUTTI_ABORTED: ",
                                 "TUTTI_ERROR: ",
                                 "TUTTI_NO_MEMORY: ",
                                 "TUTTI_FOREIGN_ERROR: ",
                                 "TUTTI_TIMEOUT_ERROR: ",
                                 "TUTTI_COMBINATION_ERROR: "};
    for (tutti_status status = TUTTI_OK; status <= TUTTI_COMBINATION_ERROR; ++status) {
        CHECK(std::string(tutti_status_text(status)).starts_with(texts[status]));
    }
    CHECK(mentions(tutti_status_text(-1), "unknown status"));
    CHECK(mentions(tutti_status_text(99), "unknown status"));
    CHECK(mentions(tutti_status_text(100), "a status of the program's own"));
}

TEST_CASE("the fields of the last failure") {
    std::barrier all_have_called(3); // else they are released from the first barrier
    const tutti_status status = run_team(3, [&](tutti_member me) {
        ok(tutti_barrier(me));
        all_have_called.arrive_and_wait();
        if (me.rank == 2) {
            return 123;
        }
        CHECK((tutti_barrier)(me) == TUTTI_ABORTED); // without a line
        tutti_error_info info = TUTTI_ERROR_INFO_INIT;
        ok(tutti_last_error(&info));
        CHECK(info.rank == me.rank);
        CHECK(info.peer == 2);
        CHECK(info.operation == 2);
        CHECK(std::string(info.collective) == "barrier");
        CHECK(info.file == nullptr);
        CHECK(info.line == 0);
        return static_cast<int>(TUTTI_ABORTED); // handed on with its fields
    });
    CHECK(status == 123);

    std::thread([] {
        tutti_error_info info = TUTTI_ERROR_INFO_INIT;
        info.rank = 7;
        ok(tutti_last_error(&info)); // there was none
        CHECK(info.rank == -1);
        CHECK(info.collective == nullptr);
    }).join();

    const Joined joined;
    double one = 1;
    refused(tutti_broadcast(joined.me, &one, 1, TUTTI_DOUBLE, 9), "`root` is 9");
    struct {
        tutti_error_info info = TUTTI_ERROR_INFO_INIT;
        int behind = 42;
    } newer;
    newer.info.size = sizeof newer; // of a program that knows more fields
    ok(tutti_last_error(&newer.info));
    CHECK(newer.info.rank == 0);
    CHECK(newer.info.peer == -1);
    CHECK(newer.behind == 42);
    tutti_error_info older = TUTTI_ERROR_INFO_INIT;
    older.size = offsetof(tutti_error_info, operation);
    older.operation = 5;
    ok(tutti_last_error(&older));
    CHECK(older.operation == 5);
    older.size = 0;
    refused(tutti_last_error(&older), "`info.size` is 0");
}

TEST_CASE("a failure goes to the hook of the program before anybody learns of it") {
    std::vector<std::string> failures;
    const auto keep = [](int member, const char* text, void* user) {
        static_cast<std::vector<std::string>*>(user)->push_back(std::to_string(member) + ": " + text);
    };
    ok(tutti_set_failure_hook(keep, &failures));
    CHECK(run_team(3, [](tutti_member me) { return me.rank == 1 ? 300 : tutti_barrier(me); }) == 300);
    CHECK(failures == std::vector<std::string>{"1: the function of member 1 has returned 300"});
    ok(tutti_set_failure_hook(nullptr, nullptr));
    CHECK(run_team(2, [](tutti_member) { return 300; }) == 300);
    CHECK(failures.size() == 1);
}

TEST_CASE("messages go to a function of the program") {
    std::vector<std::string> texts;
    const auto keep = [](int severity, const char* text, void* user) {
        CHECK(severity == TUTTI_LOG_WARNING);
        static_cast<std::vector<std::string>*>(user)->emplace_back(text);
    };
    ok(tutti_set_log(keep, &texts));
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    options.tuning = "/nonesuch/from-c";
    { const Joined joined(1, &options); }
    ok(tutti_set_log(nullptr, nullptr));
    REQUIRE(texts.size() == 1);
    CHECK(mentions(texts.front(), "tuning file /nonesuch/from-c is rejected"));
}

TEST_CASE("what has been learnt is saved to a file, and a wrong file is an error") {
    refused(tutti_save_tuning("/nonesuch/tuned"), "save_tuning: `path` \"/nonesuch/tuned\" is not written");
    const std::string path = "/tmp/tutti_save_tuning_c." + std::to_string(getpid());
    ok(tutti_save_tuning(path.c_str()));
    CHECK(std::remove(path.c_str()) == 0);
}

TEST_CASE("more members than a first handful") {
    constexpr int members = 200;
    tutti_group* group = nullptr;
    REQUIRE(tutti_group_create(members, nullptr, &group) == TUTTI_OK);
    for (int round = 0; round < 2; ++round) {
        std::vector<tutti_member> joined(members);
        for (int rank = 0; rank < members; ++rank) {
            REQUIRE(tutti_join(group, rank, &joined[static_cast<std::size_t>(rank)]) == TUTTI_OK);
        }
        for (const tutti_member& each : joined) {
            CHECK(each.size == members);
            ok(tutti_leave(each));
            CHECK(tutti_leave(each) == TUTTI_ARGUMENT_ERROR);
        }
    }
    ok(tutti_group_free(group));
}
