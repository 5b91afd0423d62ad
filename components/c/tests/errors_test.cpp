// What goes wrong, and what is said of it.

#include "support.hpp"
#include "tests/on_threads.hpp"

#include <unistd.h>

using namespace tutti::test;

namespace {

struct Outcome {
    tutti_status status = TUTTI_OK;
    std::string text;
};

/// What each member's part returns; the team goes on as if all was well.
std::vector<Outcome> outcomes(int members, const MemberFunction& part) {
    std::vector<Outcome> all(static_cast<std::size_t>(members));
    run_team(members, [&](tutti_caller me) {
        const tutti_status status = part(me);
        all[static_cast<std::size_t>(me.rank)] = {status, tutti_error_text()};
        return status;
    });
    return all;
}

int count(const std::vector<Outcome>& all, tutti_status status) {
    return static_cast<int>(
        std::count_if(all.begin(), all.end(), [&](const Outcome& each) { return each.status == status; }));
}

void keep_right(const void* /*in*/, void* /*inout*/, std::size_t /*n*/, void* /*user*/) {}

} // namespace

TEST_CASE("what the member that aborts calls afterwards is not taken for a call of its own") {
    constexpr int rounds = 50;
    for (int round = 0; round < rounds; ++round) {
        std::atomic<int> there{0};
        const std::vector<Outcome> all = outcomes(3, [&](tutti_caller me) {
            std::array<double, 10> in{};
            std::array<double, 10> out{};
            if (me.rank != 2) {
                ++there;
                return tutti_allreduce(me, in.data(), out.data(), in.size(), TUTTI_DOUBLE, TUTTI_SUM);
            }
            while (there < 2) {
                std::this_thread::yield();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2)); // so that they sleep as well
            ok(tutti_abort(me, "stop it"));
            CHECK(tutti_barrier(me) == TUTTI_ABORTED);
            return tutti_broadcast(me, in.data(), in.size(), TUTTI_DOUBLE, 0);
        });
        CAPTURE(round);
        CHECK(count(all, TUTTI_ABORTED) == 3);
        CHECK(mentions(all[0].text, "stop it"));
        CHECK(mentions(all[1].text, "stop it"));
    }
}

TEST_CASE("an abort without a text has one that names it") {
    for (const char* const text : {static_cast<const char*>(nullptr), ""}) {
        const Joined half(1);
        ok(tutti_abort(half.me, text));
        fails(tutti_barrier(half.me), TUTTI_ABORTED, "member 0 failed: abort() was called without a text");
    }
}

TEST_CASE("a seat that nobody takes is named") {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    tutti_group* group = nullptr;
    options.join_timeout_ms = -2;
    refused(tutti_group_create(2, &options, &group), "join_timeout is -2 ms");
    options.join_timeout_ms = 30;
    REQUIRE(tutti_group_create(2, &options, &group) == TUTTI_OK);
    tutti_caller me;
    REQUIRE(tutti_join(group, 0, &me) == TUTTI_OK);
    fails(tutti_barrier(me), TUTTI_ERROR, "member 1 has not joined within 30 ms");
    CHECK(mentions(tutti_error_text(), "GroupOptions::join_timeout sets how long"));
    ok(tutti_leave(me));
    ok(tutti_group_free(group));
}

TEST_CASE("a member that leaves ends the calls of the others") {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    options.timeout_ms = 60000;
    tutti_group* group = nullptr;
    REQUIRE(tutti_group_create(2, &options, &group) == TUTTI_OK);
    std::jthread other([=] {
        tutti_caller me;
        ok(tutti_join(group, 1, &me));
        ok(tutti_barrier(me));
        ok(tutti_leave(me));
    });
    tutti_caller me;
    REQUIRE(tutti_join(group, 0, &me) == TUTTI_OK);
    ok(tutti_barrier(me));
    fails(tutti_barrier(me), TUTTI_MISMATCH_ERROR, "member 1 has returned without calling it");
    ok(tutti_leave(me));
    other.join();
    ok(tutti_group_free(group));
}

TEST_CASE("levels of equal groups, and those that are not") {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    tutti_group* group = nullptr;
    options.level_count = 2;
    refused(tutti_group_create(4, &options, &group), "`options.levels` is a null pointer");
    const std::array levels{3, 2};
    options.levels = levels.data();
    refused(tutti_group_create(4, &options, &group), "the product of the sizes is not the number of");
    REQUIRE(tutti_group_create(6, &options, &group) == TUTTI_OK);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 6; ++rank) {
        threads.emplace_back([=] {
            tutti_caller me;
            const int mine = rank;
            int sum = 0;
            ok(tutti_join(group, rank, &me));
            ok(tutti_allreduce(me, &mine, &sum, 1, TUTTI_INT32, TUTTI_SUM));
            CHECK(sum == 15);
            ok(tutti_leave(me));
        });
    }
    threads.clear();
    ok(tutti_group_free(group));
}

TEST_CASE("what a member's function returns is what the run returns") {
    std::vector<Outcome> all(4);
    const tutti_status status = run_team(4, [&](tutti_caller me) {
        Outcome& mine = all[static_cast<std::size_t>(me.rank)];
        mine.status = me.rank == 2 ? 123 : tutti_barrier(me);
        mine.text = me.rank == 2 ? "" : tutti_error_text();
        return mine.status;
    });
    CHECK(status == 123);
    CHECK(mentions(tutti_error_text(), "the function of member 2 has returned 123"));
    CHECK(count(all, TUTTI_ABORTED) == 3);
    CHECK(mentions(all[0].text, "member 2 failed: the function of member 2 has returned 123"));

    // What the library has said goes on to the others and to the caller.
    const tutti_status wrong = run_team(3, [&](tutti_caller me) {
        double one = 1;
        return me.rank == 1 ? tutti_broadcast(me, &one, 1, TUTTI_DOUBLE, 9) : tutti_barrier(me);
    });
    refused(wrong, "broadcast: `root` is 9");
}

TEST_CASE("group_run tells the others what a function has returned") {
    tutti_group* group = nullptr;
    REQUIRE(tutti_group_create(3, nullptr, &group) == TUTTI_OK);
    std::vector<Outcome> all(3);
    std::atomic<int> joined{0};
    on_threads(3, [&](int rank) {
        MemberFunction part = [&](tutti_caller me) {
            for (++joined; joined < 3;) { // so that nobody comes when the group has failed
                std::this_thread::yield();
            }
            return me.rank == 0 ? 200 : tutti_barrier(me);
        };
        const tutti_status status = tutti_group_run(group, rank, call_part, &part);
        all[static_cast<std::size_t>(rank)] = {status, tutti_error_text()};
    });
    CHECK(all[0].status == 200);
    CHECK(count(all, TUTTI_ABORTED) == 2);
    CHECK(mentions(all[1].text, "the function of member 0 has returned 200"));
    ok(tutti_group_free(group));
}

TEST_CASE("the first status is returned with its text, although later calls have failed as well") {
    tutti_group* group = nullptr;
    REQUIRE(tutti_group_create(2, nullptr, &group) == TUTTI_OK);
    std::vector<Outcome> all(2);
    on_threads(2, [&](int rank) {
        MemberFunction part = [&](tutti_caller me) {
            double one = 1;
            tutti_barrier(me);
            if (rank == 1) {
                return tutti_barrier(me);
            }
            // As in a callback that cannot pass a status on.
            const tutti_status first = tutti_broadcast(me, &one, 1, TUTTI_DOUBLE, 9);
            CHECK(tutti_group_trace(group, TUTTI_TRACE_JSON_LINES, nullptr, 0, nullptr) == TUTTI_ERROR);
            return first;
        };
        const tutti_status status = tutti_group_run(group, rank, call_part, &part);
        all[static_cast<std::size_t>(rank)] = {status, tutti_error_text()};
    });
    CHECK(all[0].status == TUTTI_ARGUMENT_ERROR);
    CHECK(mentions(all[0].text, "`root` is 9"));
    CHECK(all[1].status == TUTTI_ABORTED);
    CHECK(mentions(all[1].text, "member 0 failed: broadcast: `root` is 9"));
    ok(tutti_group_free(group));
}

TEST_CASE("a status that an earlier function has met has not its text") {
    double one = 1;
    const Joined before;
    refused(tutti_broadcast(before.me, &one, 1, TUTTI_DOUBLE, 9), "`root` is 9");
    tutti_group* group = nullptr;
    REQUIRE(tutti_group_create(1, nullptr, &group) == TUTTI_OK);
    MemberFunction part = [](tutti_caller) { return static_cast<int>(TUTTI_ARGUMENT_ERROR); };
    CHECK(tutti_group_run(group, 0, call_part, &part) == TUTTI_ARGUMENT_ERROR);
    CHECK(std::string(tutti_error_text()) == "the function of member 0 has returned 1");
    ok(tutti_group_free(group));
}

TEST_CASE("what an operator throws that is written in C++") {
    for (const bool memory : {false, true}) {
        tutti_op op = 0;
        const auto throws = [](const void*, void*, std::size_t, void* user) {
            if (user != nullptr) {
                throw std::bad_alloc();
            }
            throw std::range_error("out of range");
        };
        int nothing = 0;
        REQUIRE(tutti_op_create(throws, memory ? &nothing : nullptr, 1, &op) == TUTTI_OK);
        const auto all = outcomes(3, [&](tutti_caller me) {
            double in = 1, out = 0;
            return tutti_allreduce(me, &in, &out, 1, TUTTI_DOUBLE, op);
        });
        const tutti_status expected = memory ? TUTTI_NO_MEMORY : TUTTI_FOREIGN_ERROR;
        CHECK(count(all, expected) >= 1);
        CHECK(count(all, expected) + count(all, TUTTI_ABORTED) == 3);
        ok(tutti_op_free(op));
    }
}

TEST_CASE("operators that have been freed are known as such, and calls in flight keep theirs") {
    tutti_op op = 0;
    REQUIRE(tutti_op_create(keep_right, nullptr, 0, &op) == TUTTI_OK);
    on_team(2, [&](tutti_caller me) {
        double in = me.rank, out = 9;
        tutti_request request = TUTTI_REQUEST_NULL;
        tutti_status status = tutti_scan(tutti_persistent(me, &request), &in, &out, 1, TUTTI_DOUBLE, op);
        status = status == TUTTI_OK ? tutti_barrier(me) : status;
        if (me.rank == 0) {
            tutti_op_free(op);
        }
        status = status == TUTTI_OK ? tutti_barrier(me) : status;
        status = status == TUTTI_OK ? tutti_start(&request) : status;
        status = status == TUTTI_OK ? tutti_wait(&request) : status;
        CHECK(out == me.rank);
        tutti_request_free(&request);
        ok(status);
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
    CHECK(std::string(tutti_status_text(TUTTI_OK)) == "TUTTI_OK: the call has succeeded");
    CHECK(mentions(tutti_status_text(TUTTI_ARGUMENT_ERROR), "TUTTI_ARGUMENT_ERROR: "));
    CHECK(mentions(tutti_status_text(TUTTI_MISMATCH_ERROR), "TUTTI_MISMATCH_ERROR: "));
    CHECK(mentions(tutti_status_text(TUTTI_ABORTED), "TUTTI_ABORTED: "));
    CHECK(mentions(tutti_status_text(TUTTI_ERROR), "TUTTI_ERROR: "));
    CHECK(mentions(tutti_status_text(TUTTI_NO_MEMORY), "TUTTI_NO_MEMORY: "));
    CHECK(mentions(tutti_status_text(TUTTI_FOREIGN_ERROR), "TUTTI_FOREIGN_ERROR: "));
    CHECK(mentions(tutti_status_text(TUTTI_TIMEOUT_ERROR), "TUTTI_TIMEOUT_ERROR: "));
    CHECK(mentions(tutti_status_text(-1), "unknown status"));
    CHECK(mentions(tutti_status_text(99), "unknown status"));
    CHECK(mentions(tutti_status_text(100), "a status of the program's own"));
}

TEST_CASE("the fields of the last failure") {
    std::array<tutti_error_info, 3> all;
    all.fill(TUTTI_ERROR_INFO_INIT);
    std::atomic<int> ready{0};
    const tutti_status status = run_team(3, [&](tutti_caller me) {
        tutti_error_info& mine = all[static_cast<std::size_t>(me.rank)];
        ok(tutti_barrier(me));
        for (++ready; me.rank == 2 && ready < 3;) { // else they are released from the first barrier
            std::this_thread::yield();
        }
        if (me.rank == 2) {
            return 123;
        }
        CHECK((tutti_barrier)(me) == TUTTI_ABORTED); // without a line
        ok(tutti_last_error(&mine));
        return static_cast<int>(TUTTI_ABORTED); // handed on with its fields
    });
    CHECK(status == 123);
    for (int rank = 0; rank < 2; ++rank) {
        const tutti_error_info& info = all[static_cast<std::size_t>(rank)];
        CHECK(info.rank == rank);
        CHECK(info.peer == 2);
        CHECK(info.operation == 2);
        CHECK(std::string(info.collective) == "barrier");
        CHECK(info.file == nullptr);
        CHECK(info.line == 0);
    }

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
    refused(tutti_last_error(nullptr), "last_error: `info` is a null pointer");
}

TEST_CASE("a failure goes to the hook of the program before anybody learns of it") {
    struct Hooked {
        int calls = 0;
        int member = -1;
        std::string text;
    } hooked;
    REQUIRE(tutti_set_failure_hook(
                [](int member, const char* text, void* user) {
                    Hooked& to = *static_cast<Hooked*>(user);
                    ++to.calls;
                    to.member = member;
                    to.text = text;
                },
                &hooked) == TUTTI_OK);
    CHECK(run_team(3, [](tutti_caller me) { return me.rank == 1 ? 300 : tutti_barrier(me); }) == 300);
    ok(tutti_set_failure_hook(nullptr, nullptr));
    CHECK(hooked.calls == 1);
    CHECK(hooked.member == 1);
    CHECK(hooked.text == "the function of member 1 has returned 300");
    CHECK(run_team(2, [](tutti_caller) { return 300; }) == 300);
    CHECK(hooked.calls == 1);
}

TEST_CASE("messages go to a function of the program") {
    std::vector<std::string> texts;
    const auto keep = [](int level, const char* text, void* user) {
        CHECK(level == TUTTI_LOG_WARNING);
        static_cast<std::vector<std::string>*>(user)->emplace_back(text);
    };
    REQUIRE(tutti_set_log(keep, &texts) == TUTTI_OK);
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    options.tuning = "/nonesuch/from-c";
    tutti_group* group = nullptr;
    ok(tutti_group_create(2, &options, &group));
    ok(tutti_group_free(group));
    ok(tutti_set_log(nullptr, nullptr));
    REQUIRE(texts.size() == 1);
    CHECK(mentions(texts.front(), "tuning file /nonesuch/from-c is refused"));
}

TEST_CASE("what has been learnt is saved to a file, and a wrong file is an error") {
    refused(tutti_save_tuning(nullptr), "save_tuning: `path` is a null pointer");
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
        std::vector<tutti_caller> callers(members);
        for (int rank = 0; rank < members; ++rank) {
            REQUIRE(tutti_join(group, rank, &callers[static_cast<std::size_t>(rank)]) == TUTTI_OK);
        }
        for (const tutti_caller& each : callers) {
            CHECK(each.size == members);
            ok(tutti_leave(each));
            CHECK(tutti_leave(each) == TUTTI_ARGUMENT_ERROR);
        }
    }
    ok(tutti_group_free(group));
}
