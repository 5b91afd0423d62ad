// Requests of C programs.

#include "support.hpp"

using namespace tutti::test;

namespace {

void add(tutti_status status, void* number) {
    *static_cast<int*>(number) += status == TUTTI_OK ? 1 : 1000;
}

} // namespace

TEST_CASE("a request that waits for nothing") {
    tutti_request request = none();
    int done = 0;
    int calls = 0;
    std::size_t index = 9;
    ok(tutti_wait(&request));
    ok(tutti_test(&request, &done));
    CHECK(done == 1);
    ok(tutti_then(&request, add, &calls));
    CHECK(calls == 1);
    ok(tutti_wait_any(&request, 1, &index));
    CHECK(index == 1);
    ok(tutti_wait_all(nullptr, 0));
    done = 0;
    ok(tutti_wait_for(&request, 1000, &done));
    CHECK(done == 1);
    done = 0;
    ok(tutti_test_all(&request, 1, &done));
    CHECK(done == 1);
    done = 0;
    index = 9;
    ok(tutti_test_any(&request, 1, &index, &done));
    CHECK(done == 1);
    CHECK(index == 1);
    ok(tutti_request_free(&request));
    refused(tutti_start(&request), "start: `request` is not of a prepared call");
    tutti_request garbage{&done, 77};
    refused(tutti_wait(&garbage), "initialise it with TUTTI_REQUEST_NULL");
}

TEST_CASE("waiting for any of several") {
    on_team(3, [](tutti_caller me) {
        constexpr std::size_t n = 100; // more than there are channels
        std::vector<int> in(n, me.rank), out(n);
        std::vector<tutti_request> requests(n, none());
        std::vector<int> seen(n);
        for (std::size_t i = 0; i < n; i += 2) {
            CHECK(start_sum(me, requests[i], in[i], out[i]) == TUTTI_OK);
        }
        std::size_t index = 0;
        for (std::size_t i = 0; i < n / 2; ++i) {
            ok(tutti_wait_any(requests.data(), n, &index));
            REQUIRE(index < n);
            CHECK(out[index] == 3);
            ++seen[index];
        }
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(seen[i] == (i % 2 == 0 ? 1 : 0));
        }
        ok(tutti_wait_any(requests.data(), n, &index));
        CHECK(index == n);
        int one = 1;
        ok(tutti_broadcast(tutti_persistent(me, &requests[1]), &one, 1, TUTTI_INT, 0));
        refused(tutti_wait_any(requests.data(), n, &index), "`requests[1]` is of a prepared call");
        ok(tutti_request_free(&requests[1]));
    });
}

TEST_CASE("a prepared call is started when it is not under way") {
    std::atomic<bool> refused{false};
    on_team(2, [&](tutti_caller me) {
        std::array<double, 10> in{}, out{};
        tutti_request step = none();
        tutti_request started = none();
        ok(tutti_scan(tutti_persistent(me, &step), in.data(), out.data(), 10, TUTTI_DOUBLE, TUTTI_SUM));
        ok(tutti_wait(&step)); // it has not been started
        ok(tutti_barrier(tutti_persistent(me, &started)));
        while (me.rank == 1 && !refused) {
            std::this_thread::yield(); // what member 0 has started is under way until then
        }
        ok(tutti_start(&started));
        if (me.rank == 0) {
            fails(tutti_start(&started), TUTTI_ERROR, "still outstanding");
            refused = true;
        }
        ok(tutti_wait(&started));
        ok(tutti_request_free(&started));
        ok(tutti_request_free(&step));
    });
}

TEST_CASE("operations that fail are told of once each, and used up") {
    std::vector<tutti_status> all(3);
    run_team(3, [&](tutti_caller me) {
        std::array<tutti_request, 3> requests{none(), none(), none()};
        std::array<int, 3> in{1, 2, 3}, out{};
        tutti_status& mine = all[static_cast<std::size_t>(me.rank)];
        for (std::size_t i = 0; i < 3; ++i) {
            const bool differs = i == 1 && me.rank == 1;
            CHECK(tutti_allreduce(tutti_nonblocking(me, &requests[i]), &in[i], &out[i], 1, TUTTI_INT,
                                  differs ? TUTTI_MAX : TUTTI_SUM) <= TUTTI_ABORTED);
        }
        mine = tutti_wait_all(requests.data(), 3);
        for (const tutti_request& each : requests) {
            CHECK(each.operation == nullptr);
        }
        ok(tutti_wait_all(requests.data(), 3));
        return mine;
    });
    int told = 0;
    for (const tutti_status status : all) {
        told += status == TUTTI_MISMATCH_ERROR || status == TUTTI_ABORTED ? 1 : 0;
    }
    CHECK(told >= 1);
}

TEST_CASE("a request is freed, or outlives its member") {
    const Joined joined;
    const tutti_caller me = joined.me;
    int in = 1, out = 0;
    tutti_request freed = none(), kept = none(), step = none();
    REQUIRE(start_sum(me, freed, in, out) == TUTTI_OK);
    ok(tutti_request_free(&freed));
    CHECK(freed.operation == nullptr);
    REQUIRE(start_sum(me, kept, in, out) == TUTTI_OK);
    REQUIRE(tutti_barrier(tutti_persistent(me, &step)) == TUTTI_OK);
    ok(tutti_leave(me));
    ok(tutti_wait(&kept));
    CHECK(out == 1);
    CHECK(tutti_start(&step) == TUTTI_ERROR);
    ok(tutti_request_free(&step));
}

TEST_CASE("a request that is used where it must not be is left as it is") {
    for (const bool is_prepared : {false, true}) {
        std::atomic<bool> refused{false};
        on_team(2, [&](tutti_caller me) {
            const int in = 1;
            int out = 0;
            tutti_request request = none();
            const auto make = [&] {
                const auto way = is_prepared ? tutti_persistent : tutti_nonblocking;
                ok(tutti_allreduce(way(me, &request), &in, &out, 1, TUTTI_INT, TUTTI_SUM));
                CHECK((!is_prepared || tutti_start(&request) == TUTTI_OK));
            };
            if (me.rank == 0) {
                make(); // member 1 comes later
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
                    check_left(tutti_wait(&request), "wait: called by another thread");
                    check_left(tutti_wait_all(&request, 1), "wait: called by another thread");
                    check_left(tutti_request_free(&request), "called by another thread");
                }).join();
                refused = true;
            } else {
                while (!refused) {
                    std::this_thread::yield();
                }
                make();
            }
            ok(tutti_wait(&request));
            CHECK(out == 2);
            ok(tutti_request_free(&request));
        });
    }
}

TEST_CASE("a request that an operator uses is left as it is") {
    struct Asks {
        tutti_request barrier = none();
        std::atomic<bool> has_asked{false};

        static void combine(const void* in, void* inout, std::size_t n, void* user) {
            auto* const asks = static_cast<Asks*>(user);
            if (asks != nullptr && !asks->has_asked) {
                int done = 1;
                CHECK(tutti_test(&asks->barrier, &done) == TUTTI_ERROR);
                CHECK(done == 0);
                fails(tutti_wait(&asks->barrier), TUTTI_ERROR, "called by an operator");
                CHECK(tutti_request_free(&asks->barrier) == TUTTI_ERROR);
                CHECK(asks->barrier.operation != nullptr);
                asks->has_asked = true;
            }
            for (std::size_t i = 0; i < n; ++i) {
                static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
            }
        }
    };
    Asks asks;
    std::atomic<bool> is_started{false};
    on_team(2, [&](tutti_caller me) {
        const bool is_first = me.rank == 0;
        const int in = 1;
        int out = 0;
        tutti_op op = 0;
        tutti_request sum = none();
        tutti_request later = none();
        tutti_request& barrier = is_first ? asks.barrier : later;
        ok(tutti_op_create(Asks::combine, is_first ? &asks : nullptr, 1, &op));
        // Member 0 has both in flight when its operator is called, and the barrier cannot be over.
        while (!is_first && !is_started) {
            std::this_thread::yield();
        }
        ok(tutti_allreduce(tutti_nonblocking(me, &sum), &in, &out, 1, TUTTI_INT, op));
        while (!is_first && !asks.has_asked) {
            std::this_thread::yield();
        }
        ok(tutti_barrier(tutti_nonblocking(me, &barrier)));
        is_started = true;
        ok(tutti_wait(&sum));
        CHECK(out == 2);
        ok(tutti_wait(&barrier));
        CHECK(barrier.operation == nullptr);
        ok(tutti_op_free(op));
    });
}

TEST_CASE("a copy of a request that is used up does no harm") {
    const Joined joined;
    const tutti_caller me = joined.me;
    tutti_request step = none();
    REQUIRE(tutti_barrier(tutti_persistent(me, &step)) == TUTTI_OK);
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
    std::atomic<int> waiting{0};
    on_team(2, [&](tutti_caller me) {
        for (int round = 1; round <= 2; ++round) {
            tutti_request request = none();
            ok(tutti_barrier(tutti_persistent(me, &request)));
            Freed freed{request, -1};
            while (me.rank == 1 && waiting != round) { // so that it is not complete before
            }
            ok(tutti_start(&request));
            if (me.rank == 0) {
                ok(tutti_then(&request, free_copy, &freed));
                waiting = round;
                CHECK((round == 1 ? tutti_wait(&request) : tutti_request_free(&request)) == TUTTI_OK);
                CHECK(freed.status == TUTTI_OK);
                CHECK((round == 1 ? tutti_wait(&request) : TUTTI_ARGUMENT_ERROR) == TUTTI_ARGUMENT_ERROR);
            } else {
                ok(tutti_request_free(&request));
            }
        }
        ok(tutti_barrier(me));
    });
}

TEST_CASE("a copy of a request that has been waited for takes nothing from others") {
    on_team(2, [](tutti_caller me) {
        std::array<int, 3> in{1, 2, 3}, out{};
        std::array<tutti_request, 3> requests{none(), none(), none()};
        CHECK(start_sum(me, requests[0], in[0], out[0]) == TUTTI_OK);
        tutti_request copy = requests[0];
        ok(tutti_wait(&requests[0]));
        ok(tutti_wait(&copy));
        CHECK(start_sum(me, requests[1], in[1], out[1]) == TUTTI_OK);
        CHECK(start_sum(me, requests[2], in[2], out[2]) == TUTTI_OK);
        CHECK(requests[1].operation != requests[2].operation);
        ok(tutti_wait_all(requests.data(), 3));
        CHECK(out == std::array<int, 3>{2, 4, 6});
    });
}

TEST_CASE("nothing waits for a call that has failed when it was made") {
    tutti_group* group = nullptr;
    tutti_caller me{};
    REQUIRE(tutti_group_create(1, nullptr, &group) == TUTTI_OK);
    REQUIRE(tutti_join(group, 0, &me) == TUTTI_OK);
    for (const auto way : {tutti_nonblocking, tutti_persistent}) {
        tutti_request request = none();
        int calls = 0;
        int done = 0;
        int one = 1;
        CHECK(tutti_broadcast(way(me, &request), &one, 1, TUTTI_INT, 9) == TUTTI_ARGUMENT_ERROR);
        refused(tutti_then(&request, add, &calls), "then: the call of `request` failed");
        CHECK(calls == 0);
        ok(tutti_test(&request, &done));
        CHECK(done == 1);
        ok(tutti_wait(&request));
        std::size_t index = 0;
        ok(tutti_wait_any(&request, 1, &index));
        CHECK(index == 1);
        ok(tutti_request_free(&request));
        CHECK(request.kind == 0);
    }
    ok(tutti_leave(me));
    ok(tutti_group_free(group));
}
