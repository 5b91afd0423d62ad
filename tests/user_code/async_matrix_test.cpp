// The cells of the matrix in which user code runs in operations of async groups.

#include "../test.hpp"
#include "verdicts.hpp"

#include <tutti/async_group.hpp>

using namespace tutti;
using namespace tutti::test;

namespace {

/// Two ranks on one thread.
void try_async(Place place, Act act, const Verdict& verdict) {
    std::optional<AsyncGroup> group;
    std::array<AsyncRequest, 2> requests;
    std::array<AsyncRequest, 2> started;
    AsyncRequest early;
    bool has_acted = false;
    const auto acts_once = [&] {
        if (std::exchange(has_acted, true)) {
            return;
        }
        switch (act) {
        case Act::start:
            started[0] = group->at(0).barrier();
            return;
        case Act::wait:
            return early.wait();
        case Act::destroy_group:
            return group.reset();
        case Act::destroy_request:
            requests[0] = AsyncRequest();
            return;
        case Act::exception:
            throw std::runtime_error("own");
        case Act::roll_call:
            CHECK(mentions(group->roll_call(), "roll call of"));
            return;
        case Act::fork:
            return fork_and_return();
        default:
            FAIL("not a cell");
        }
    };
    AsyncGroupOptions with_executor;
    if (place == Place::executor) {
        with_executor.slice_bytes = 64;
        with_executor.executor = [&](std::size_t count, const std::function<void(std::size_t)>& task) {
            acts_once();
            for (std::size_t index = 0; index < count; ++index) {
                task(index);
            }
        };
    }
    group.emplace(2, with_executor);
    early = group->at(0).barrier();
    AsyncRequest early_of_other = group->at(1).barrier();

    const std::vector<double> in(1000, 1);
    std::array<std::vector<double>, 2> out{std::vector<double>(1000), std::vector<double>(1000)};
    const auto combine = [&](double a, double b) {
        if (place == Place::op) {
            acts_once();
        }
        return a + b;
    };
    std::optional<Task> task;
    requests[0] = group->at(0).allreduce(in, out[0], combine);
    if (place == Place::continuation) {
        requests[0].then([&](const std::exception_ptr&) { acts_once(); });
    } else if (place == Place::coroutine) {
        task.emplace(coroutine(requests[0], acts_once));
    }
    requests[1] = group->at(1).allreduce(in, out[1], combine);
    for (AsyncRequest& request : requests) {
        check(verdict, thrown_by([&] { request.wait(); })); // an empty one returns at once
    }
    CHECK(has_acted);
    if (verdict.kind == Thrown::Kind::nothing) {
        CHECK(out[1] == std::vector<double>(1000, 2));
    }
    if (act == Act::start) {
        started[1] = group->at(1).barrier();
        started[0].wait();
    }
}

} // namespace

TEST_CASE("what user code does in an operation of an async group has one documented outcome") {
    for_each_cell({Way::async},
                  [](Place place, Act act, Way, const Verdict& verdict) { try_async(place, act, verdict); });
}
