// Ranks that are only names, and executors of C programs.

#include "support.hpp"

using namespace tutti::test;

namespace {

/// Runs tasks on threads of its own, after it has returned; or fails after some of them have begun.
struct Pool {
    bool fails = false;
    std::atomic<int> handed{0};
    std::mutex mutex;
    std::vector<std::thread> threads;

    static tutti_status run(void* user, std::size_t count, tutti_task* task) {
        auto& pool = *static_cast<Pool*>(user);
        pool.handed += static_cast<int>(count);
        CHECK(tutti_task_run(task, count) == TUTTI_ARGUMENT_ERROR);
        if (pool.fails) {
            ok(tutti_task_run(task, 0));
            return 300;
        }
        const std::scoped_lock lock(pool.mutex);
        for (std::size_t i = 0; i < count; ++i) {
            pool.threads.emplace_back([task, i] { ok(tutti_task_run(task, i)); });
        }
        return TUTTI_OK;
    }

    void join() {
        for (std::thread& thread : threads) {
            thread.join();
        }
        threads.clear();
    }
};

tutti_async_group_options with(Pool& pool) {
    tutti_async_group_options options = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
    options.executor = Pool::run;
    options.user = &pool;
    options.slice_bytes = 4096;
    return options;
}

/// One allreduce of all ranks, by this thread; what each request says.
std::vector<tutti_status> arrive_all(tutti_async_group* meeting, int ranks, std::vector<double>& result) {
    const std::size_t n = 100'000;
    std::vector<std::vector<double>> in, out;
    std::vector<tutti_request> requests(static_cast<std::size_t>(ranks), TUTTI_REQUEST_NULL);
    std::vector<tutti_status> all;
    for (int rank = 0; rank < ranks; ++rank) {
        in.emplace_back(n, rank);
        out.emplace_back(n, -1);
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
        ok(tutti_allreduce(tutti_async_rank(meeting, static_cast<int>(i), &requests[i]), in[i].data(),
                           out[i].data(), n, TUTTI_DOUBLE, TUTTI_SUM));
    }
    for (tutti_request& request : requests) {
        all.push_back(tutti_wait(&request));
    }
    result = out.back();
    return all;
}

} // namespace

TEST_CASE("an executor carries a large operation out") {
    Pool pool;
    const tutti_async_group_options options = with(pool);
    const Meeting meeting(3, &options);
    int size = 0;
    ok(tutti_async_group_size(meeting.get(), &size));
    CHECK(size == 3);
    for (int i = 0; i < 5; ++i) {
        std::vector<double> result;
        CHECK(arrive_all(meeting.get(), 3, result) == std::vector<tutti_status>(3, TUTTI_OK));
        CHECK(result == std::vector<double>(result.size(), 3));
        pool.join();
    }
    CHECK(pool.handed > 5);
}

TEST_CASE("an executor that fails") {
    Pool pool;
    pool.fails = true;
    const tutti_async_group_options options = with(pool);
    const Meeting meeting(2, &options);
    std::vector<double> result;
    for (int i = 0; i < 3; ++i) {
        CHECK(arrive_all(meeting.get(), 2, result) == std::vector<tutti_status>(2, 300));
        CHECK(mentions(tutti_error_text(), "the executor has returned 300"));
    }
    pool.fails = false;
    CHECK(arrive_all(meeting.get(), 2, result) == std::vector<tutti_status>(2, TUTTI_OK));
    pool.join();
}

TEST_CASE("an executor that runs tasks again is told, and does nothing") {
    std::vector<tutti_task*> kept;
    tutti_async_group_options options = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
    options.executor = [](void* user, std::size_t count, tutti_task* task) {
        static_cast<std::vector<tutti_task*>*>(user)->push_back(task);
        ok(tutti_task_run(task, 0));
        refused(tutti_task_run(task, 0), "task_run: `i` is 0, whose run has been made");
        for (std::size_t i = 1; i < count; ++i) {
            ok(tutti_task_run(task, i));
        }
        CHECK(tutti_task_run(task, count - 1) == TUTTI_ARGUMENT_ERROR);
        return int{TUTTI_OK};
    };
    options.user = &kept;
    options.slice_bytes = 4096;
    const Meeting meeting(2, &options);
    for (int i = 0; i < 3; ++i) {
        std::vector<double> result;
        CHECK(arrive_all(meeting.get(), 2, result) == std::vector<tutti_status>(2, TUTTI_OK));
        CHECK(result == std::vector<double>(result.size(), 1));
    }
    CHECK(kept.size() == 3);
    for (tutti_task* const task : kept) {
        refused(tutti_task_run(task, 0), "task_run: `task` is finished");
    }
}

TEST_CASE("a task may be run again while another thread makes the last of its runs") {
    struct Again {
        std::atomic<tutti_task*> task{nullptr};
        std::atomic<int> over{0};
    } again;
    tutti_async_group_options options = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
    options.executor = [](void* user, std::size_t count, tutti_task* task) {
        ok(tutti_task_run(task, 0));
        static_cast<Again*>(user)->task = task;
        for (std::size_t i = 1; i < count; ++i) {
            ok(tutti_task_run(task, i));
        }
        return int{TUTTI_OK};
    };
    options.user = &again;
    options.slice_bytes = 400'000;
    const Meeting meeting(2, &options);
    constexpr int rounds = 100;
    std::thread runs_again([&] {
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
        std::vector<double> result;
        CHECK(arrive_all(meeting.get(), 2, result) == std::vector<tutti_status>(2, TUTTI_OK));
        while (again.over < round) {
            std::this_thread::yield();
        }
    }
    runs_again.join();
}

TEST_CASE("a copy of an arrived request that has been waited for takes nothing from others") {
    const Meeting meeting(2);
    const auto arrive = [&](int rank) {
        tutti_request request = TUTTI_REQUEST_NULL;
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
    int in = 1, out = 0;
    tutti_request request{&in, 123}; // is written whatever becomes of the call
    const auto arrive = [&](tutti_async_group* at, int rank, tutti_request* to) {
        return tutti_allreduce(tutti_async_rank(at, rank, to), &in, &out, 1, TUTTI_INT, TUTTI_SUM);
    };
    refused(arrive(nullptr, 0, &request), "allreduce: `async_group` is a null pointer");
    CHECK(request.operation == nullptr);
    refused(arrive(meeting.get(), 2, &request), "`rank` is 2");
    refused(arrive(meeting.get(), 0, nullptr), "`request`");
    tutti_async_group* none = nullptr;
    CHECK(tutti_async_group_create(0, nullptr, &none) == TUTTI_ARGUMENT_ERROR);
    CHECK(none == nullptr);
    // All ranks may still meet.
    tutti_request other = TUTTI_REQUEST_NULL;
    int sum = 0;
    CHECK(arrive(meeting.get(), 0, &request) == TUTTI_OK);
    ok(tutti_allreduce(tutti_async_rank(meeting.get(), 1, &other), &in, &sum, 1, TUTTI_INT, TUTTI_SUM));
    ok(tutti_wait(&request));
    ok(tutti_wait(&other));
    CHECK(out == 2);
    CHECK(sum == 2);
}

TEST_CASE("operations at which a rank is missing") {
    tutti_async_group* meeting = nullptr;
    REQUIRE(tutti_async_group_create(2, nullptr, &meeting) == TUTTI_OK);
    tutti_request request = TUTTI_REQUEST_NULL;
    struct Told {
        tutti_status status = TUTTI_OK;
        std::string text;
    };
    const auto tell = [](tutti_status status, void* told) {
        *static_cast<Told*>(told) = {status, tutti_error_text()};
    };
    Told told;
    REQUIRE(tutti_barrier(tutti_async_rank(meeting, 1, &request)) == TUTTI_OK);
    ok(tutti_then(&request, tell, &told));
    std::size_t index = 0;
    CHECK(tutti_wait_any(&request, 1, &index) == TUTTI_ARGUMENT_ERROR);
    ok(tutti_async_group_free(meeting));
    CHECK(tutti_wait(&request) == TUTTI_ERROR);
    CHECK(request.operation == nullptr);
    CHECK(told.status == TUTTI_ERROR);
    CHECK(told.text.find("rank 0 has not") != std::string::npos);
}
