// Ranks that are only names, and executors of C programs.

#include "support.hpp"
#include "tests/pool.hpp"

using namespace tutti::test;

namespace {

/// One large allreduce of both ranks of an async group, by this thread: the status of each request.
std::array<tutti_status, 2> arrive_all(const Meeting& meeting) {
    using Vector = std::vector<double>;
    const std::array in{Vector(100'000, 1), Vector(100'000, 2)};
    std::array out{Vector(100'000), Vector(100'000)};
    std::array<tutti_request, 2> requests{};
    std::array<tutti_status, 2> all{};
    for (std::size_t i = 0; i < 2; ++i) {
        ok(tutti_allreduce(tutti_async_rank(meeting.get(), static_cast<int>(i), &requests[i]), in[i].data(),
                           out[i].data(), in[i].size(), TUTTI_DOUBLE, TUTTI_SUM));
    }
    for (std::size_t i = 0; i < 2; ++i) {
        all[i] = tutti_wait(&requests[i]);
        CHECK((all[i] != TUTTI_OK || out[i] == Vector(100'000, 3)));
    }
    return all;
}

tutti_async_group_options with(tutti_executor executor, void* user, std::size_t slice_bytes = 4096) {
    tutti_async_group_options options = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
    options.executor = executor;
    options.user = user;
    options.slice_bytes = slice_bytes;
    return options;
}

} // namespace

TEST_CASE("an executor carries a large operation out later, or fails after a run has begun") {
    struct Handed {
        Pool pool{2};
        bool fails = false;
        std::size_t tasks = 0;
        tutti_task* last = nullptr;
    } handed;
    const auto run = [](void* user, std::size_t count, tutti_task* task) -> tutti_status {
        auto& to = *static_cast<Handed*>(user);
        to.tasks += count;
        to.last = task;
        CHECK(tutti_task_run(task, count) == TUTTI_ARGUMENT_ERROR);
        for (std::size_t i = 0; i < (to.fails ? 1 : count); ++i) {
            to.fails ? ok(tutti_task_run(task, i)) : to.pool.add([=] { ok(tutti_task_run(task, i)); });
        }
        return to.fails ? 300 : TUTTI_OK;
    };
    const tutti_async_group_options options = with(run, &handed);
    const Meeting meeting(2, &options);
    int size = 0;
    ok(tutti_async_group_size(meeting.get(), &size));
    CHECK(size == 2);
    for (const bool fails : {false, false, true, true, false}) {
        handed.fails = fails;
        const tutti_status expected = fails ? 300 : TUTTI_OK;
        CHECK(arrive_all(meeting) == std::array{expected, expected});
        CHECK((!fails || mentions(tutti_error_text(), "the executor has returned 300")));
        if (fails) { // what had not begun never will
            refused(tutti_task_run(handed.last, 1), "task_run: `task` is finished");
        }
    }
    CHECK(handed.tasks > 5);
}

TEST_CASE("a run that is made again is told, also while another thread makes the last of its task") {
    struct Again {
        std::atomic<tutti_task*> task{nullptr};
        std::atomic<int> over{0};
    } again;
    const auto run = [](void* user, std::size_t count, tutti_task* task) {
        ok(tutti_task_run(task, 0));
        refused(tutti_task_run(task, 0), "task_run: `i` is 0, whose run has been made");
        static_cast<Again*>(user)->task = task;
        for (std::size_t i = 1; i < count; ++i) {
            ok(tutti_task_run(task, i));
        }
        return int{TUTTI_OK};
    };
    const tutti_async_group_options options = with(run, &again, 400'000);
    const Meeting meeting(2, &options);
    constexpr int rounds = 100;
    std::jthread runs_again([&] {
        tutti_task* before = nullptr;
        while (again.over < rounds) {
            tutti_task* const task = again.task;
            if (task == before) {
                continue;
            }
            do {
                CHECK(tutti_task_run(task, 0) == TUTTI_ARGUMENT_ERROR);
            } while (!mentions(tutti_error_text(), "task_run: `task` is finished"));
            before = task;
            ++again.over;
        }
    });
    for (int round = 1; round <= rounds; ++round) {
        CHECK(arrive_all(meeting) == std::array<tutti_status, 2>{TUTTI_OK, TUTTI_OK});
        while (again.over < round) {
            std::this_thread::yield();
        }
    }
}

TEST_CASE("a copy of an arrived request that has been waited for takes nothing from others") {
    const Meeting meeting(2);
    const auto arrive = [&](int rank) {
        tutti_request request = none();
        ok(tutti_barrier(tutti_async_rank(meeting.get(), rank, &request)));
        return request;
    };
    std::vector<tutti_request> requests{arrive(0), arrive(1)};
    tutti_request copy = requests[0];
    ok(tutti_wait(&requests[0]));
    ok(tutti_wait(&copy));
    // The other rank still has a request of that operation, which serves for no later one.
    requests.push_back(arrive(0));
    requests.push_back(arrive(1));
    requests.push_back(arrive(0));
    int done = 0;
    ok(tutti_test(&requests[1], &done));
    CHECK(done == 1);
    requests.push_back(arrive(1));
    ok(tutti_wait_all(requests.data(), requests.size()));
}

TEST_CASE("arguments of those who arrive") {
    const Meeting meeting(2);
    int number = 0;
    tutti_request request{&number, 123}; // is written whatever becomes of the call
    const auto arrive = [](tutti_async_group* at, int rank, tutti_request* to) {
        return tutti_barrier(tutti_async_rank(at, rank, to));
    };
    refused(arrive(nullptr, 0, &request), "barrier: `async_group` is a null pointer");
    CHECK(request.operation == nullptr);
    refused(arrive(meeting.get(), 2, &request), "`rank` is 2");
    refused(arrive(meeting.get(), 0, nullptr), "`request`");
    tutti_async_group* none_made = nullptr;
    CHECK(tutti_async_group_create(0, nullptr, &none_made) == TUTTI_ARGUMENT_ERROR);
    CHECK(none_made == nullptr);
    // All ranks may still meet.
    tutti_request other = none();
    std::size_t index = 0;
    int done = 1;
    ok(arrive(meeting.get(), 0, &request));
    refused(tutti_wait_any(&request, 1, &index), "wait_any: `requests[0]` is of an async group");
    ok(tutti_test_any(&request, 1, &index, &done));
    CHECK(done == 0);
    CHECK(index == 1);
    ok(arrive(meeting.get(), 1, &other));
    ok(tutti_test_any(&request, 1, &index, &done));
    CHECK(done == 1);
    ok(tutti_wait(&other));
}

TEST_CASE("an operation at which a rank is missing ends with its async group") {
    tutti_async_group* meeting = nullptr;
    REQUIRE(tutti_async_group_create(2, nullptr, &meeting) == TUTTI_OK);
    tutti_request request = none();
    std::string text;
    REQUIRE(tutti_barrier(tutti_async_rank(meeting, 1, &request)) == TUTTI_OK);
    const auto tell = [](tutti_status status, void* told) {
        CHECK(status == TUTTI_ERROR);
        *static_cast<std::string*>(told) = tutti_error_text();
    };
    ok(tutti_then(&request, tell, &text));
    ok(tutti_async_group_free(meeting));
    CHECK(tutti_wait(&request) == TUTTI_ERROR);
    CHECK(request.operation == nullptr);
    CHECK(mentions(text, "rank 0 has not"));
}
