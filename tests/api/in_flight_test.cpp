// Operations in flight: in which order they are waited for, how long they last, and other threads that use
// them.

#include "coroutines.hpp"
#include "support.hpp"

#include <semaphore>

namespace {

void on_another_thread(const std::function<void()>& act) {
    std::thread(act).join();
}

using Act = std::function<void(Member& me, Request& first, Request& second, const std::function<void()>&)>;

/// Member 0 of two starts two operations and runs `act`. What that calls last makes both complete, which
/// shows in the next test. Both members go on after that.
void with_two_complete(const Act& act) {
    Team team(2, {.placement = "none"});
    std::atomic<int> started{0};
    team.run([&](Member& me) {
        while (started != me.rank()) {
        }
        std::vector<int> values(2, 1);
        Request first = me.start.allreduce(std::span(&values[0], 1), sum);
        Request second = me.start.allreduce(std::span(&values[1], 1), sum);
        const auto complete = [&] {
            ++started;
            while (started != 2) {
            }
        };
        if (me.rank() == 0) {
            act(me, first, second, complete);
        } else {
            complete();
        }
        int called = 0;
        for (int round = 0; round < 100; ++round) { // what has been destroyed serves for other calls
            int value = 1;
            Request other = me.start.allreduce(std::span(&value, 1), sum);
            other.then([&](const std::exception_ptr& failure) { called += failure == nullptr ? 1 : 0; });
            other.wait();
            CHECK(value == 2);
        }
        CHECK(called == 100);
    });
    team.run([](Member& me) { CHECK(me.allreduce(1, sum) == 2); });
}

} // namespace

TEST_CASE("a late member holds up nothing but what waits for it") {
    std::atomic<bool> is_through{false};
    run_members(2, [&](Member& me) {
        Member pair = me.dup();
        const std::vector<int> in(10000, 1);
        std::vector<int> late(in.size());
        std::array<int, 200> out{};
        const int rank = me.rank();
        Request waits;
        if (rank == 0) {
            waits = pair.start.allreduce(in, late, sum);
        }
        std::vector<Request> requests;
        for (int& each : out) {
            requests.push_back(me.start.allreduce(rank, each, sum));
        }
        wait_all(requests);
        if (rank == 0) {
            CHECK(!waits.test());
            is_through = true;
        } else {
            await(is_through, true);
            waits = pair.start.allreduce(in, late, sum);
        }
        waits.wait();
        CHECK(late.back() == 2);
        CHECK(out.back() == 1);
    });
}

TEST_CASE("who waits in one group makes the operations of others progress") {
    Team team(4, {.placement = "none"});
    for (int repetition = 0; repetition < 20; ++repetition) {
        team.run([](Member& me) {
            Member other = me.dup();
            std::vector<int> in(5000, me.rank());
            std::vector<int> one(in.size());
            std::vector<int> two(in.size());
            std::vector<int> blocking(in.size());
            // Of several exchanges, so that they do not complete by themselves.
            const Options ring{.algorithm = "ring"};
            Request first = me.start.allreduce(in, one, sum, ring);
            Request second = other.start.allreduce(in, two, sum, ring);
            if (me.rank() % 2 == 0) {
                first.wait();
                second.wait();
                other.allreduce(in, blocking, sum, ring);
            } else {
                second.wait();
                other.allreduce(in, blocking, sum, ring);
                first.wait();
            }
            CHECK(one[7] == 6);
            CHECK(two[8] == 6);
            CHECK(blocking[9] == 6);
        });
    }
}

TEST_CASE("a request waits for its operation when it is destroyed or assigned to") {
    run_members(3, [](Member& me) {
        std::vector<int> in(3000, 1);
        std::vector<int> out(in.size());
        { const Request dropped = me.start.allreduce(in, out, sum); }
        CHECK(out[2999] == 3);
        Request request = me.start.allreduce(in, out, max);
        Request moved = std::move(request);
        CHECK(request.test()); // NOLINT(bugprone-use-after-move): it waits for nothing
        std::vector<int> other(in.size());
        moved = me.start.allreduce(in, other, sum);
        CHECK(out[2999] == 1);
        moved.wait();
        CHECK(other[0] == 3);
    });
}

TEST_CASE("a persistent operation waits for the same start of the others, in any order among several") {
    run_members(3, [](Member& me) {
        constexpr int rounds = 50;
        std::array<std::vector<int>, 5> in;
        std::array<std::vector<int>, 5> out;
        std::vector<Persistent> steps;
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i].assign(10 * i * i * i + 1, 0);
            out[i] = in[i];
            steps.push_back(me.prepare.allreduce(in[i], out[i], sum));
        }
        std::mt19937 random(static_cast<unsigned>(me.rank()));
        std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
        for (int round = 0; round < rounds; ++round) {
            std::ranges::shuffle(order, random);
            for (const std::size_t i : order) {
                std::ranges::fill(in[i], round + static_cast<int>(i));
                steps[i].start();
            }
            wait_all(steps);
            for (std::size_t i = 0; i < in.size(); ++i) {
                CHECK(out[i].back() == 3 * (round + static_cast<int>(i)));
            }
        }
    });
}

TEST_CASE("persistent operations go when nobody needs them, however far apart members drop them") {
    run_members(2, [](Member& me) {
        for (int i = 0; i < 100; ++i) {
            int value = me.rank() == 0 ? i : -1;
            // The root of a small broadcast waits for nobody, so it may be many operations ahead.
            Persistent step = me.prepare.broadcast(std::span(&value, 1), 0);
            step.start();
            step.wait();
            CHECK(value == i);
        }
    });
}

TEST_CASE("operators are copied, and may be anything that can be") {
    run_members(3, [](Member& me) {
        std::vector<Request> requests;
        std::vector<std::vector<int>> vectors;
        vectors.assign(19, std::vector<int>(2, me.rank() + 1));
        for (int factor = 1; factor < 20; ++factor) {
            const std::vector<int> big(10, factor);
            requests.push_back(me.start.allreduce(vectors[static_cast<std::size_t>(factor - 1)],
                                                  [big](int a, int b) { return a + big[5] * b; }));
        }
        wait_all(requests);
        for (int factor = 1; factor < 20; ++factor) {
            CHECK(vectors[static_cast<std::size_t>(factor - 1)] == std::vector<int>(2, 1 + factor * 5));
        }
    });
}

TEST_CASE("what a started call says of its blocks and its operator is needed only while it is started") {
    run_members(3, [](Member& me) {
        const int rank = me.rank();
        const auto own = static_cast<std::size_t>(rank);
        const std::vector<int> block(own + 1, rank);
        std::vector<int> gathered(10, -1);
        std::vector<int> in(12, rank);
        std::vector<int> exchanged(12, -1);
        std::vector<double> dynamic(100, rank + 1.0);
        double weight = 2;
        std::vector<Request> requests;
        {
            std::vector<std::size_t> counts{1, 2, 3};
            std::vector<std::size_t> displacements{8, 5, 1};
            const std::vector<std::size_t> four(3, 4);
            std::vector<std::size_t> backwards{8, 4, 0};
            const auto combine = [](const void* left, void* right, std::size_t count, void* user) {
                const double by = *static_cast<const double*>(user);
                for (std::size_t i = 0; i < count; ++i) {
                    const double value = static_cast<const double*>(left)[i];
                    static_cast<double*>(right)[i] += by * value;
                }
            };
            requests.push_back(me.start.allgather(block, gathered, Counts(counts, displacements)));
            requests.push_back(
                me.start.alltoall(in, Counts(four, backwards), exchanged, Counts(four, backwards)));
            requests.push_back(me.start.allreduce(DynamicVector(Type::f64, dynamic.data(), dynamic.size()),
                                                  DynamicOp(combine, &weight, sizeof(double), false)));
            std::ranges::fill(counts, 0);
            std::ranges::fill(displacements, 0);
            std::ranges::fill(backwards, 0);
        }
        wait_all(requests);
        CHECK(gathered == std::vector<int>{-1, 2, 2, 2, -1, 1, 1, -1, 0, -1});
        CHECK(exchanged == std::vector<int>{2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0});
        CHECK(dynamic[99] == 3 + 2 * (2 + 2 * 1.0));
    });
}

TEST_CASE("what a member has in flight when its part ends is waited for") {
    Team team(2, {.placement = "none"});
    std::array<std::vector<int>, 2> in{std::vector<int>(1000, 1), std::vector<int>(1000, 1)};
    std::array<std::vector<int>, 2> out{std::vector<int>(1000), std::vector<int>(1000)};
    std::array<Request, 2> kept;
    std::array<Persistent, 2> step;
    team.run([&](Member& me) {
        const auto rank = index_of(me);
        kept[rank] = me.start.allreduce(in[rank], out[rank], sum);
        step[rank] = me.prepare.barrier();
    });
    CHECK(out[0][999] == 2);
    CHECK(out[1][999] == 2);
    CHECK(kept[0].test());
    kept[1].wait();
    CHECK(mentions(thrown_by([&] { step[0].start(); }).text, "has left"));
    check_usable(team);
}

TEST_CASE("another thread destroys a request whose function waits to be called") {
    with_two_complete([](Member& /*me*/, Request& first, Request& second, const auto& complete) {
        int called = 0;
        std::thread::id on;
        first.then([&](const auto& /*failure*/) { on_another_thread([&] { second = Request(); }); });
        second.then([&](const auto& /*failure*/) {
            ++called;
            on = std::this_thread::get_id();
        });
        complete();
        CHECK(first.test());
        CHECK(called == 1);
        CHECK(on == std::this_thread::get_id());
    });
}

TEST_CASE("another thread destroys a coroutine that waits to go on") {
    with_two_complete([](Member& /*me*/, Request& first, Request& second, const auto& complete) {
        bool is_reached = false;
        const auto wait_for_second = [&]() -> Task {
            co_await second;
            is_reached = true;
        };
        std::optional<Task> waits(wait_for_second());
        bool is_called = false;
        first.then([&](const auto& /*failure*/) {
            on_another_thread([&] { waits.reset(); });
            second.then([&](const auto& /*failure*/) { is_called = true; }); // at once: it is complete
        });
        complete();
        CHECK(first.test());
        CHECK(!is_reached);
        CHECK(is_called);
    });
}

TEST_CASE("another thread cannot start while functions of the member wait to be called") {
    with_two_complete([](Member& me, Request& first, Request& second, const auto& complete) {
        std::string start;
        std::string then;
        bool is_called = false;
        first.then([&](const auto& /*failure*/) {
            on_another_thread([&] {
                start = thrown_by([&] { const Request more = me.start.barrier(); }).text;
                then = thrown_by([&] { second.then([](const auto& /*failure*/) {}); }).text;
            });
        });
        second.then([&](const auto& /*failure*/) { is_called = true; });
        complete();
        CHECK(first.test());
        CHECK(mentions(start, "start: called by another thread"));
        CHECK(mentions(then, "then: called by another thread"));
        CHECK(is_called);
    });
}

TEST_CASE("a thread is not taken for one that has ended, whose memory it has got") {
    Team team(2, {.placement = "none"});
    std::atomic<bool> is_started{false}; // before the other member, so that it is not complete at once
    const Ended ended = run(team, [&](Member& me) {
        std::vector<int> values(5, 1);
        if (me.rank() == 1) {
            while (!is_started) {
            }
            me.start.allreduce(values, sum).wait();
            return;
        }
        Request request;
        on_another_thread([&] { request = me.start.allreduce(values, sum); });
        is_started = true;
        for (int round = 0; round < 10; ++round) {
            std::string text;
            on_another_thread([&] { text = thrown_by([&] { request.wait(); }).text; });
            CHECK(mentions(text, "wait: called by another thread"));
        }
    });
    CHECK(mentions(ended.run.text, "a member was destroyed by another thread"));
}

TEST_CASE(
    "a member that leaves while another thread has operations of it in flight leaves its group unusable") {
    std::binary_semaphore starts(0);
    std::binary_semaphore has_started(0);
    std::binary_semaphore looks(0);
    Member* member = nullptr;
    std::vector<int> values(5, 1);
    std::string text;
    std::thread other([&] {
        starts.acquire();
        Request request = member->start.allreduce(values, sum);
        has_started.release();
        looks.acquire();
        Team own(1, {.placement = "none", .caller_is_member = true});
        own.run([](Member& me) { me.barrier(); });
        text = thrown_by([&] { request.wait(); }).text; // looks at all that it has in flight
    });
    {
        Team team(2, {.placement = "none"});
        const Ended ended = run(team, [&](Member& me) {
            if (me.rank() == 0) {
                member = &me;
                starts.release();
                has_started.acquire();
            }
        });
        CHECK(mentions(ended.run.text, "a member was destroyed by another thread"));
        const Ended again = run(team, [](Member& me) { me.start.barrier().wait(); });
        CHECK(mentions(again.run.text, "a member was destroyed by another thread"));
    }
    looks.release();
    other.join();
    CHECK(mentions(text, "a member was destroyed by another thread"));
}

TEST_CASE("a wait with a limit is for the thread of the member") {
    std::atomic<bool> may_go_on{false};
    run_members(2, [&](Member& me) {
        if (me.rank() == 1) {
            await(may_go_on, true);
        }
        Request request = me.start.barrier();
        if (me.rank() == 0) {
            std::string text;
            on_another_thread(
                [&] { text = thrown_by([&] { request.wait_for(std::chrono::milliseconds(1)); }).text; });
            CHECK(mentions(text, "wait_for: called by another thread"));
            may_go_on = true;
        }
        request.wait();
    });
}
