// Calls that are repeated allocate nothing, and what is given up is given back.

#include "support.hpp"
#include "tests/replaced_new.hpp"

using namespace tutti::test;

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

void keep_right(const void* /*in*/, void* /*inout*/, std::size_t /*n*/, void* /*user*/) {}

/// What a member repeats.
struct Repeated {
    std::array<double, 100> in{}, out{};
    tutti_op op = 0;
    tutti_request step = TUTTI_REQUEST_NULL;
    tutti_status failed = TUTTI_OK;

    void call(tutti_member me) {
        tutti_request request = TUTTI_REQUEST_NULL;
        failed |= tutti_barrier(me);
        failed |= tutti_allreduce(me, in.data(), out.data(), 1, TUTTI_DOUBLE, TUTTI_SUM);
        failed |= tutti_scan(me, in.data(), out.data(), 100, tutti_type_of_size(8), op);
        failed |= tutti_broadcast(tutti_nonblocking(me, &request), in.data(), 100, TUTTI_DOUBLE, 0);
        failed |= tutti_wait(&request);
        tutti_member few{};
        if (me.rank < 2) {
            failed |= tutti_among(me, 2, 0, 1, &few);
            failed |= tutti_barrier(few);
            failed |= tutti_leave(few);
        }
        failed |= tutti_start(&step);
        failed |= tutti_wait(&step);
    }
};

} // namespace

bool tutti::test::admits_allocation(Manner /*manner*/) noexcept {
    if (counting.load(std::memory_order_relaxed)) {
        allocations.fetch_add(1, std::memory_order_relaxed);
    }
    return true;
}

TEST_CASE("calls that are repeated allocate nothing") {
    on_team(3, [](tutti_member me) {
        Repeated mine;
        tutti_op_create(keep_right, nullptr, 1, &mine.op);
        tutti_gather(tutti_persistent(me, &mine.step), mine.in.data(), mine.out.data(), 1, TUTTI_DOUBLE, 1);
        constexpr int channels = 64; // each is made when it is first used
        for (int i = 0; i <= channels; ++i) {
            mine.call(me);
        }
        tutti_barrier(me);
        counting = true;
        tutti_barrier(me);
        for (int i = 0; i < 10; ++i) {
            mine.call(me);
        }
        tutti_barrier(me);
        counting = false;
        CHECK(mine.failed == TUTTI_OK);
        tutti_request_free(&mine.step);
        ok(tutti_op_free(mine.op));
    });
    CHECK(allocations == 0);
}

TEST_CASE("what is given up is given back") {
    const auto use = [] {
        tutti_group* group = nullptr;
        tutti_async_group* meeting = nullptr;
        tutti_async_group_options options = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
        tutti_member me{}, copy{};
        tutti_op op = 0;
        std::array<tutti_request, 3> requests{};
        double one = 1;
        options.executor = [](void*, std::size_t count, tutti_task* task) {
            ok(tutti_task_run(task, count - 1));
            return 200;
        };
        options.slice_bytes = 4096;
        static std::array<double, 10'000> in, out;
        ok(tutti_group_create(1, nullptr, &group));
        ok(tutti_async_group_create(1, &options, &meeting));
        ok(tutti_op_create(keep_right, nullptr, 1, &op));
        ok(tutti_join(group, 0, &me));
        ok(tutti_dup(me, &copy));
        ok(tutti_broadcast(tutti_persistent(me, &requests[0]), &one, 1, TUTTI_DOUBLE, 0));
        ok(tutti_broadcast(tutti_nonblocking(copy, &requests[1]), &one, 1, TUTTI_DOUBLE, 0));
        ok(tutti_allreduce(tutti_async_rank(meeting, 0, &requests[2]), in.data(), out.data(), in.size(),
                           TUTTI_DOUBLE, TUTTI_SUM));
        CHECK(tutti_wait(&requests[2]) == 200);
        for (tutti_request& request : requests) {
            ok(tutti_request_free(&request));
        }
        ok(tutti_leave(copy));
        ok(tutti_leave(me));
        ok(tutti_op_free(op));
        ok(tutti_async_group_free(meeting));
        ok(tutti_group_free(group));
    };
    use();
    const long before = live_blocks;
    for (int i = 0; i < 10; ++i) {
        use();
    }
    CHECK(live_blocks == before);
}
