// Requests of C programs. tests/ways has what holds for requests of all ways of calling.

#include "support.hpp"

using namespace tutti::test;

namespace {

void add(tutti_status status, void* number) {
    *static_cast<int*>(number) += status == TUTTI_OK ? 1 : 1000;
}

/// What is to happen in order, by two members.
class Turn {
public:
    void give() { given_ = true; }
    void await() const {
        while (!given_) {
            std::this_thread::yield();
        }
    }

private:
    std::atomic<bool> given_{false};
};

/// Checks that a request waits for nothing, by every function that waits or tests.
void check_waits_for_nothing(tutti_request& request) {
    int done = 0, for_all = 0, for_any = 0, for_limited = 0;
    std::size_t index = 0, tested = 0;
    ok(tutti_wait(&request));
    ok(tutti_test(&request, &done));
    ok(tutti_test_all(&request, 1, &for_all));
    ok(tutti_test_any(&request, 1, &tested, &for_any));
    ok(tutti_wait_any(&request, 1, &index));
    ok(tutti_wait_for(&request, 1000, &for_limited));
    CHECK((done == 1 && for_all == 1 && for_any == 1 && for_limited == 1));
    CHECK((index == 1 && tested == 1));
}

} // namespace

TEST_CASE("a request that waits for nothing") {
    tutti_request request = none();
    int calls = 0;
    check_waits_for_nothing(request);
    ok(tutti_then(&request, add, &calls));
    CHECK(calls == 1);
    ok(tutti_wait_all(nullptr, 0));
    ok(tutti_request_free(&request));
    refused(tutti_start(&request), "start: `request` is not of a prepared call");
    tutti_request garbage{&calls, 77};
    refused(tutti_wait(&garbage), "initialise it with TUTTI_REQUEST_NULL");
}

TEST_CASE("nothing waits for a call that has failed when it was made") {
    const Joined joined;
    for (const auto way : {tutti_nonblocking, tutti_persistent}) {
        tutti_request request = none();
        int calls = 0;
        int one = 1;
        CHECK(tutti_broadcast(way(joined.me, &request), &one, 1, TUTTI_INT, 9) == TUTTI_ARGUMENT_ERROR);
        refused(tutti_then(&request, add, &calls), "then: the call of `request` failed");
        CHECK(calls == 0);
        check_waits_for_nothing(request);
        ok(tutti_request_free(&request));
        CHECK(request.kind == 0);
    }
}

TEST_CASE("a member does not write a request that is outstanding") {
    const Joined joined;
    const Meeting meeting(1);
    tutti_request request{&request, 1};
    for (const tutti_member by :
         {tutti_nonblocking(joined.me, &request), tutti_persistent(joined.me, &request),
          tutti_async_rank(meeting.get(), 0, &request)}) {
        ok(tutti_barrier(by));
        const void* const before = request.operation;
        refused(tutti_barrier(by), "barrier: the request of `me` is outstanding");
        CHECK(request.operation == before);
        ok(tutti_wait(&request));
        ok(tutti_request_free(&request));
        ok(tutti_barrier(by)); // once more
        ok(tutti_request_free(&request));
    }
}

TEST_CASE("any and all of prepared calls") {
    const Joined joined;
    std::array<tutti_request, 2> requests{};
    std::size_t index = 0;
    int done = 0;
    ok(tutti_barrier(tutti_persistent(joined.me, &requests[1])));
    ok(tutti_wait(&requests[1])); // it has not been started
    ok(tutti_test_all(requests.data(), 2, &done));
    CHECK(done == 1);
    CHECK(requests[1].kind != 0);
    refused(tutti_test_any(requests.data(), 2, &index, &done),
            "test_any: `requests[1]` is of a prepared call");
    CHECK(done == 0);
    refused(tutti_wait_any(requests.data(), 2, &index), "wait_any: `requests[1]` is of a prepared call");
    ok(tutti_request_free(&requests[1]));
}

TEST_CASE("all of several that fail are waited for, and used up") {
    for (const bool tests : {false, true}) {
        Turn started;
        const tutti_status run = run_team(2, [&](tutti_member me) {
            if (me.rank == 1) {
                started.await();
                return 200;
            }
            std::array<tutti_request, 2> requests{};
            for (tutti_request& each : requests) {
                ok(tutti_barrier(tutti_nonblocking(me, &each)));
            }
            started.give();
            tutti_status status = TUTTI_OK;
            int done = 0;
            while (done == 0) {
                status =
                    tests ? tutti_test_all(requests.data(), 2, &done) : tutti_wait_all(requests.data(), 2);
                done = tests ? done : 1;
            }
            CHECK(status == TUTTI_ABORTED);
            CHECK(requests[0].operation == nullptr);
            CHECK(requests[1].operation == nullptr);
            return status;
        });
        CHECK(run == 200);
    }
}

TEST_CASE("a request is freed, or outlives its member") {
    const Joined joined;
    const tutti_member me = joined.me;
    int in = 1, out = 0;
    tutti_request freed = none(), kept = none(), step = none();
    ok(start_sum(me, freed, in, out));
    ok(tutti_request_free(&freed));
    CHECK(freed.operation == nullptr);
    ok(start_sum(me, kept, in, out));
    ok(tutti_barrier(tutti_persistent(me, &step)));
    ok(tutti_leave(me));
    ok(tutti_wait(&kept));
    CHECK(out == 1);
    CHECK(tutti_start(&step) == TUTTI_ERROR);
    ok(tutti_request_free(&step));
}

TEST_CASE("a request that is used where it must not be is left as it is") {
    for (const auto way : {tutti_nonblocking, tutti_persistent}) {
        Turn late;
        on_team(2, [&](tutti_member me) {
            const int in = 1;
            int out = 0;
            tutti_request request = none();
            if (me.rank == 1) {
                late.await();
            }
            ok(tutti_allreduce(way(me, &request), &in, &out, 1, TUTTI_INT, TUTTI_SUM));
            ok(way == tutti_persistent ? tutti_start(&request) : TUTTI_OK);
            if (me.rank == 0) {
                const tutti_request before = request;
                const auto check_left = [&](tutti_status status, const char* text) {
                    fails(status, TUTTI_ERROR, text);
                    CHECK(request.operation == before.operation);
                    CHECK(request.kind == before.kind);
                };
                std::thread([&] {
                    int done = 1;
                    check_left(tutti_test(&request, &done), "test: called by another thread");
                    CHECK(done == 0);
                    check_left(tutti_wait_all(&request, 1), "wait: called by another thread");
                    check_left(tutti_request_free(&request), "called by another thread");
                }).join();
                late.give();
            }
            int done = 0;
            ok(tutti_wait_for(&request, TUTTI_NEVER, &done));
            CHECK(done == 1);
            CHECK(out == 2);
            ok(tutti_request_free(&request));
        });
    }
}

TEST_CASE("a copy of a request that is used up does no harm") {
    const Joined joined;
    tutti_request step = none();
    ok(tutti_barrier(tutti_persistent(joined.me, &step)));
    tutti_request copy = step;
    ok(tutti_start(&copy));
    ok(tutti_request_free(&step));
    const auto check_gone = [&](tutti_status status) { refused(status, "`request` has been freed"); };
    int done = 0;
    int calls = 0;
    check_gone(tutti_start(&copy));
    check_gone(tutti_wait(&copy));
    check_gone(tutti_wait_all(&copy, 1));
    check_gone(tutti_test(&copy, &done));
    check_gone(tutti_test_all(&copy, 1, &done));
    check_gone(tutti_wait_for(&copy, 1, &done));
    check_gone(tutti_then(&copy, add, &calls));
    check_gone(tutti_request_free(&copy));
    CHECK(calls == 0);
}

TEST_CASE("a function may free a copy of the prepared request for which it has waited") {
    struct Freed {
        tutti_request copy;
        tutti_status status;
    };
    const auto free_copy = [](tutti_status /*status*/, void* user) {
        auto& copy = *static_cast<Freed*>(user);
        copy.status = tutti_request_free(&copy.copy);
    };
    for (const bool waits : {true, false}) {
        Turn late; // so that it is not complete before
        on_team(2, [&](tutti_member me) {
            tutti_request request = none();
            ok(tutti_barrier(tutti_persistent(me, &request)));
            Freed freed{request, -1};
            if (me.rank == 1) {
                late.await();
            }
            ok(tutti_start(&request));
            if (me.rank == 0) {
                ok(tutti_then(&request, free_copy, &freed));
                late.give();
                ok(waits ? tutti_wait(&request) : tutti_request_free(&request));
                CHECK(freed.status == TUTTI_OK);
                CHECK((!waits || tutti_wait(&request) == TUTTI_ARGUMENT_ERROR));
            } else {
                ok(tutti_request_free(&request));
            }
            ok(tutti_barrier(me));
        });
    }
}

TEST_CASE("a copy of a request that has been waited for takes nothing from others") {
    on_team(2, [](tutti_member me) {
        std::array<int, 3> in{1, 2, 3}, out{};
        std::array<tutti_request, 3> requests{};
        ok(start_sum(me, requests[0], in[0], out[0]));
        tutti_request copy = requests[0];
        ok(tutti_wait(&requests[0]));
        ok(tutti_wait(&copy));
        ok(start_sum(me, requests[1], in[1], out[1]));
        ok(start_sum(me, requests[2], in[2], out[2]));
        CHECK(requests[1].operation != requests[2].operation);
        ok(tutti_wait_all(requests.data(), 3));
        CHECK(out == std::array<int, 3>{2, 4, 6});
    });
}
