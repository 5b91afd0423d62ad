#include "support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

// Requests and persistent operations: how they are waited for, and what becomes of those that are used
// wrongly.

using namespace tutti;
using test::mentions;
using test::Outcomes;
using test::Thrown;
using test::thrown_by;

namespace {

/// Members of a team in `parts` that throw what they like. What each has thrown, and what the run has.
struct Ended {
    Outcomes each;
    Thrown run;
};

Ended run(Team& team, const std::function<void(Member&)>& part) {
    Outcomes each(team.size());
    const Thrown thrown = thrown_by([&] {
        team.run([&](Member& me) {
            std::exception_ptr ended;
            each.note(me, [&] {
                try {
                    part(me);
                } catch (...) {
                    ended = std::current_exception();
                    throw;
                }
            });
            if (ended != nullptr) {
                std::rethrow_exception(ended);
            }
        });
    });
    return {each, thrown};
}

/// A coroutine that runs until it waits, and keeps what it throws.
class Task {
public:
    struct promise_type {
        std::exception_ptr thrown;
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { thrown = std::current_exception(); }
    };

    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_) {
            handle_.destroy();
        }
    }

    bool is_done() const { return handle_.done(); }
    std::exception_ptr thrown() const { return handle_.promise().thrown; }

private:
    std::coroutine_handle<promise_type> handle_;
};

/// Two dependent steps, each of which lets others of the same thread go on.
Task two_steps(Member& me, int value, int& result) {
    int first = 0;
    co_await me.start.allreduce(value, first, sum);
    co_await me.start.allreduce(first, result, sum);
}

Task one_step(Member& me, const std::vector<int>& in, std::vector<int>& out) {
    co_await me.start.allreduce(in, out, sum);
}

constexpr int members = 3;

} // namespace

TEST_CASE("operations are waited for in any order, and in any number") {
    constexpr std::size_t count = 300;
    Team team({.members = 4, .placement = "none"});
    team.run([](Member& me) {
        std::vector<std::array<int, 5>> in(count);
        std::vector<std::array<int, 5>> out(count);
        std::vector<Request> requests;
        for (std::size_t i = 0; i < count; ++i) {
            in[i].fill(static_cast<int>(i) + me.rank());
            requests.push_back(me.start.allreduce(in[i], out[i], sum));
        }
        std::mt19937 random(static_cast<unsigned>(me.rank()));
        std::shuffle(requests.begin(), requests.end(), random);
        for (Request& request : requests) {
            request.wait();
            CHECK(request.test());
        }
        for (std::size_t i = 0; i < count; ++i) {
            CHECK(out[i][4] == 4 * static_cast<int>(i) + 6);
        }
    });
}

TEST_CASE("wait_any returns each request once, and then the number of them") {
    Team team({.members = members, .placement = "none"});
    team.run([](Member& me) {
        std::array<int, 20> in{};
        std::array<int, 20> out{};
        std::vector<Request> requests(in.size());
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = static_cast<int>(i);
            requests[i] = me.start.allreduce(in[i], out[i], sum);
        }
        std::array<int, 20> returned{};
        for (std::size_t place = wait_any(requests); place != requests.size(); place = wait_any(requests)) {
            ++returned[place];
            CHECK(out[place] == members * static_cast<int>(place));
        }
        for (const int times : returned) {
            CHECK(times == 1);
        }
    });
}

TEST_CASE("a late member holds up nothing but what waits for it") {
    Team team({.members = 2, .placement = "none"});
    std::atomic<bool> is_through{false};
    team.run([&](Member& me) {
        Member pair = me.dup();
        std::vector<int> in(10000, 1);
        std::vector<int> late(in.size());
        std::array<int, 200> out{};
        const int rank = me.rank();
        if (me.rank() == 0) {
            Request waits = pair.start.allreduce(in, late, sum);
            std::vector<Request> requests;
            for (int& each : out) {
                requests.push_back(me.start.allreduce(rank, each, sum));
            }
            wait_all(requests);
            CHECK(!waits.test());
            is_through = true;
            waits.wait();
        } else {
            std::vector<Request> requests;
            for (int& each : out) {
                requests.push_back(me.start.allreduce(rank, each, sum));
            }
            wait_all(requests);
            while (!is_through) {
            }
            pair.start.allreduce(in, late, sum).wait();
        }
        CHECK(late.back() == 2);
        CHECK(out.back() == 1);
    });
}

TEST_CASE("who waits in one group makes the operations of others progress") {
    Team team({.members = 4, .placement = "none"});
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
    Team team({.members = members, .placement = "none"});
    team.run([](Member& me) {
        std::vector<int> in(3000, 1);
        std::vector<int> out(in.size());
        { const Request dropped = me.start.allreduce(in, out, sum); }
        CHECK(out[2999] == members);
        Request request = me.start.allreduce(in, out, max);
        Request moved = std::move(request);
        CHECK(request.test()); // NOLINT(bugprone-use-after-move): it waits for nothing
        std::vector<int> other(in.size());
        moved = me.start.allreduce(in, other, sum);
        CHECK(out[2999] == 1);
        moved.wait();
        CHECK(other[0] == members);
    });
}

TEST_CASE("continuations are called once, after the operation and outside of all calls, and may make calls") {
    Team team({.members = members, .placement = "none"});
    team.run([](Member& me) {
        constexpr int steps = 10;
        int value = 1;
        int next = 0;
        int called = 0;
        std::deque<Request> requests;
        std::function<void()> go_on = [&] {
            CHECK(next == value * members);
            value = next;
            if (++called == steps) {
                return;
            }
            CHECK(me.allreduce(1, sum) == members); // blocking, too
            requests.push_back(me.start.allreduce(value, next, sum));
            requests.back().then(go_on);
        };
        requests.push_back(me.start.allreduce(value, next, sum));
        requests.back().then(go_on);
        while (called < steps) {
            requests.back().wait();
        }
        CHECK(value == 59049); // 3^10
        // Of an operation that is complete it is called at once.
        Request complete = me.start.barrier();
        complete.wait();
        bool is_called = false;
        complete.then([&] { is_called = true; });
        CHECK(is_called);
    });
}

TEST_CASE("coroutines of one member take turns, whichever of them is waited for") {
    Team team({.members = 4, .placement = "none"});
    team.run([](Member& me) {
        // In which order operations complete depends on the member. So each coroutine has a group of its own.
        std::array<int, 20> results{};
        std::deque<Member> mine;
        std::vector<Task> tasks;
        for (std::size_t i = 0; i < results.size(); ++i) {
            mine.push_back(me.dup());
            tasks.push_back(two_steps(mine.back(), static_cast<int>(i), results[i]));
        }
        for (const Task& task : tasks) {
            wait_until([&] { return task.is_done(); });
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
            CHECK(results[i] == 16 * static_cast<int>(i));
        }
    });
}

TEST_CASE("who waits for what nothing can bring about is told") {
    CHECK(mentions(thrown_by([] { wait_until([] { return false; }); }).text, "nothing in flight"));
    wait_until([] { return true; });
}

TEST_CASE("a coroutine that waits for an operation that fails goes on with an exception") {
    Team team({.members = 2, .placement = "none"});
    std::array<Thrown, 2> thrown;
    const Ended ended = run(team, [&](Member& me) {
        std::vector<int> in(10, 1);
        std::vector<int> out(10);
        if (me.rank() == 1) {
            throw std::runtime_error("broken");
        }
        const Task task = one_step(me, in, out);
        CHECK(thrown_by([&] { me.barrier(); }).kind == Thrown::Kind::aborted);
        wait_until([&] { return task.is_done(); });
        REQUIRE(task.is_done());
        REQUIRE(task.thrown() != nullptr);
        thrown[0] = thrown_by([&] { std::rethrow_exception(task.thrown()); });
    });
    CHECK(mentions(thrown[0].text, "broken"));
    test::check_usable(team);
}

TEST_CASE("a persistent operation waits for the same start of the others, in any order among several") {
    Team team({.members = members, .placement = "none"});
    team.run([](Member& me) {
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
                CHECK(out[i].back() == members * (round + static_cast<int>(i)));
            }
        }
    });
}

TEST_CASE("persistent operations go when nobody needs them, however far apart members drop them") {
    Team team({.members = 2, .placement = "none"});
    team.run([](Member& me) {
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
    Team team({.members = members, .placement = "none"});
    team.run([](Member& me) {
        std::vector<Request> requests;
        std::vector<std::vector<int>> vectors;
        for (int factor = 1; factor < 20; ++factor) {
            vectors.emplace_back(2, me.rank() + 1);
        }
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
    Team team({.members = members, .placement = "none"});
    team.run([](Member& me) {
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
            const std::vector<std::size_t> four(members, 4);
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

TEST_CASE("wrong arguments are refused on the spot, and the member starts again") {
    Team team({.members = 2, .placement = "none"});
    team.run([](Member& me) {
        std::vector<int> in(4, 1);
        std::vector<int> out(4);
        std::vector<int> longer(5);
        const Thrown thrown = thrown_by([&] { Request bad = me.start.allreduce(in, longer, sum); });
        CHECK(thrown.kind == Thrown::Kind::argument);
        CHECK(mentions(thrown.text, "allreduce"));
        Persistent step = me.prepare.allreduce(in, out, sum);
        CHECK(mentions(thrown_by([&] { step.start(in, longer); }).text,
                       "start: `out` has 5 elements, but was prepared with 4"));
        CHECK(mentions(thrown_by([&] { step.start(in); }).text, "prepared with two vectors"));
        CHECK(mentions(thrown_by([&] { step.start(in, in); }).text, "do not lie to each other"));
        CHECK(mentions(thrown_by([&] { step.start(in, std::span<int>(static_cast<int*>(nullptr), 4)); }).text,
                       "allreduce: `out` has 4 elements but is a null pointer"));
        std::vector<float> other(4);
        CHECK(mentions(thrown_by([&] { step.start(other, other); }).text, "another type"));
        if (me.rank() == 1) {
            me.barrier();
        }
        step.start();
        if (me.rank() == 0) {
            CHECK(mentions(thrown_by([&] { step.start(); }).text, "still under way"));
            me.barrier();
        }
        step.wait();
        CHECK(out[3] == 2);
    });
}

TEST_CASE("operators must not start calls") {
    Team team({.members = 2, .placement = "none"});
    for (const bool blocking : {false, true}) {
        const Ended ended = run(team, [&](Member& me) {
            int one = 1;
            std::vector<int> in(3, 1);
            std::vector<int> out(3);
            const auto starts = [&](int a, int b) {
                Request request = me.start.allreduce(std::span(&one, 1), sum);
                return a + b;
            };
            blocking ? me.allreduce(in, out, starts) : me.start.allreduce(in, out, starts).wait();
        });
        CHECK(mentions(ended.run.text, "called by an operator"));
        CHECK(ended.each.count(Thrown::Kind::nothing) == 0);
        test::check_usable(team);
    }
}

TEST_CASE("another thread cannot use what a member has in flight") {
    Team team({.members = 2, .placement = "none"});
    std::atomic<bool> is_through{false};
    team.run([&](Member& me) {
        std::vector<int> in(5, 1);
        std::vector<int> out(5);
        Request request;
        if (me.rank() == 0) {
            request = me.start.allreduce(in, out, sum);
            std::array<std::string, 2> texts;
            std::thread([&] {
                texts[0] = thrown_by([&] { request.wait(); }).text;
                texts[1] = thrown_by([&] { const Request more = me.start.barrier(); }).text;
            }).join();
            CHECK(mentions(texts[0], "wait: called by another thread"));
            CHECK(mentions(texts[1], "start: called by another thread"));
            is_through = true;
        } else {
            while (!is_through) {
            }
            request = me.start.allreduce(in, out, sum);
        }
        request.wait();
        CHECK(out[0] == 2);
    });
}

TEST_CASE("members that start different operations are told which, whenever they wait") {
    Team team({.members = 2, .placement = "none"});
    for (const int before : {0, 1, 5, 40, 100}) {
        for (const std::size_t bytes :
             {std::size_t{8}, std::size_t{24}, std::size_t{3000}, std::size_t{100000}}) {
            CAPTURE(before);
            CAPTURE(bytes);
            const Ended ended = run(team, [&](Member& me) {
                std::vector<std::uint8_t> vector(bytes);
                std::vector<Request> requests;
                std::vector<double> values(static_cast<std::size_t>(before));
                for (double& value : values) {
                    requests.push_back(me.start.allreduce(std::span(&value, 1), sum));
                }
                requests.push_back(me.rank() == 0 ? me.start.allreduce(vector, bor)
                                                  : me.start.broadcast(vector, 0));
                std::vector<double> after(3);
                for (double& value : after) {
                    requests.push_back(me.start.allreduce(std::span(&value, 1), max));
                }
                wait_all(requests);
            });
            INFO("the message is: ", ended.run.text);
            CHECK(ended.run.kind == Thrown::Kind::mismatch);
            CHECK(ended.each.count(Thrown::Kind::nothing) == 0);
            CHECK(mentions(ended.run.text, "started operation " + std::to_string(before + 1)));
            CHECK(mentions(ended.run.text, "starts allreduce"));
            CHECK(mentions(ended.run.text, "starts broadcast"));
            test::check_usable(team);
        }
    }
}

TEST_CASE("members that prepare different operations are told which") {
    Team team({.members = 2, .placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        std::vector<int> vector(10);
        Persistent same = me.prepare.barrier();
        Persistent other = me.rank() == 0 ? me.prepare.allreduce(vector, sum) : me.prepare.scan(vector, sum);
        same.start();
        same.wait();
        other.start();
        other.wait();
    });
    CHECK(ended.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(ended.run.text, "prepared operation 2"));
    test::check_usable(team);
}

TEST_CASE("members that make blocking and started calls in another order are told") {
    Team team({.members = 2, .placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        std::vector<int> vector(1000, 1);
        std::vector<int> other(1000, 1);
        if (me.rank() == 0) {
            me.start.allreduce(vector, sum).wait();
            me.allreduce(other, sum);
        } else {
            me.allreduce(other, sum);
            me.start.allreduce(vector, sum).wait();
        }
    });
    INFO("the message is: ", ended.run.text);
    CHECK(ended.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(ended.run.text, "another order"));
    test::check_usable(team);
}

TEST_CASE("members of which one prepares what the others start, or call, are told") {
    for (const int members : {2, 3}) {
        for (const bool blocks : {false, true}) {
            Team team({.members = members, .placement = "none"});
            const Ended ended = run(team, [&](Member& me) {
                std::vector<int> vector(10, 1);
                if (me.rank() == 0) {
                    Persistent prepared = me.prepare.allreduce(vector, sum, {.algorithm = "flat"});
                    prepared.start();
                    prepared.wait();
                } else if (blocks) {
                    me.allreduce(vector, sum, {.algorithm = "flat"});
                } else {
                    me.start.allreduce(vector, sum, {.algorithm = "flat"}).wait();
                }
            });
            INFO("the message is: ", ended.run.text);
            CHECK(ended.run.kind == Thrown::Kind::mismatch);
            CHECK(mentions(ended.run.text, "wait for each other"));
            CHECK(mentions(ended.run.text, "member 0 prepares allreduce"));
            test::check_usable(team);
        }
    }
}

TEST_CASE("members may prepare and start in another order, and wait long") {
    Team team({.members = 2, .placement = "none"});
    team.run([&](Member& me) {
        using namespace std::chrono_literals;
        std::vector<int> one(10, 1);
        std::vector<int> two(10, 1);
        // Member 0 comes late to what it prepares, and member 1 to what it starts.
        Request started;
        if (me.rank() == 0) {
            started = me.start.allreduce(two, sum);
            std::this_thread::sleep_for(50ms);
        }
        Persistent prepared = me.prepare.allreduce(one, sum);
        prepared.start();
        prepared.wait();
        if (me.rank() == 1) {
            std::this_thread::sleep_for(50ms);
            started = me.start.allreduce(two, sum);
        }
        started.wait();
        CHECK(one[0] == 2);
        CHECK(two[0] == 2);
    });
}

TEST_CASE("who waits for an operation that a member never starts is told when that has returned") {
    Team team({.members = 3, .placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        std::vector<int> vector(100, 1);
        me.start.allreduce(vector, sum).wait();
        if (me.rank() != 1) {
            me.start.allreduce(vector, sum).wait();
        }
    });
    INFO("the message is: ", ended.run.text);
    CHECK(ended.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(ended.run.text, "started operation 2"));
    CHECK(mentions(ended.run.text, "has returned without starting it"));
    test::check_usable(team);
}

TEST_CASE("members that end with different starts that nobody waited for are told when the run is over") {
    Team team({.members = 2, .placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        int value = 1;
        // The root waits for nobody.
        if (me.rank() == 0) {
            me.start.broadcast(std::span(&value, 1), 0).wait();
        }
    });
    CHECK(ended.run.kind == Thrown::Kind::mismatch);
    test::check_usable(team);
}

TEST_CASE("who tests in a loop is told as well when a member has left") {
    Team team({.members = 2, .placement = "none"});
    for (const bool is_prepared : {false, true}) {
        const Ended ended = run(team, [&](Member& me) {
            std::vector<double> in(4, 1);
            std::vector<double> out(4);
            std::optional<Persistent> step;
            if (is_prepared) {
                step.emplace(me.prepare.allreduce(in, out, sum));
            }
            if (me.rank() == 1) {
                return;
            }
            Request request;
            if (is_prepared) {
                step->start();
            } else {
                request = me.start.allreduce(in, out, sum);
            }
            while (!(is_prepared ? step->test() : request.test())) {
            }
        });
        INFO("the message is: ", ended.run.text);
        CHECK(ended.run.kind == Thrown::Kind::mismatch);
        CHECK(!mentions(ended.run.text, "further back"));
        test::check_usable(team);
    }
}

TEST_CASE("who waits for a condition is told when what would bring it about has failed, or is through") {
    Team team({.members = 2, .placement = "none"});
    for (int repetition = 0; repetition < 20; ++repetition) {
        const Ended failed = run(team, [&](Member& me) {
            std::vector<double> vector(4, 1);
            if (me.rank() == 1) {
                throw std::runtime_error("broken");
            }
            bool is_complete = false;
            Request request = me.start.allreduce(vector, sum);
            request.then([&] { is_complete = true; });
            wait_until([&] { return is_complete; });
        });
        CHECK(failed.run.text == "broken");
        CHECK(failed.each.of(0).kind == Thrown::Kind::aborted);
        const Ended through = run(team, [&](Member& me) {
            std::vector<double> vector(4, 1);
            Request request = me.start.allreduce(vector, sum);
            wait_until([] { return false; });
        });
        CHECK(mentions(through.run.text, "nothing in flight"));
        test::check_usable(team);
    }
}

TEST_CASE(
    "members that prepare different operations, or start them more often, are told by the end of the run") {
    Team team({.members = 2, .placement = "none"});
    const Ended prepared = run(team, [](Member& me) {
        int value = me.rank();
        std::vector<int> all(2);
        const int root = me.rank(); // small, so that nobody waits
        Persistent step = me.prepare.broadcast(std::span(&value, 1), root);
        step.start();
        step.wait();
    });
    INFO("the message is: ", prepared.run.text);
    CHECK(prepared.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(prepared.run.text, "prepared operation 1"));
    const Ended started = run(team, [](Member& me) {
        int value = me.rank();
        Persistent step = me.prepare.broadcast(std::span(&value, 1), 0);
        for (int start = me.rank(); start < 3; ++start) {
            step.start();
            step.wait();
        }
    });
    INFO("the message is: ", started.run.text);
    CHECK(started.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(started.run.text, "equally often"));
    test::check_usable(team);
}

TEST_CASE("a coroutine goes on when the request that it waits for is destroyed, and none that is itself") {
    Team team({.members = 2, .placement = "none"});
    team.run([](Member& me) {
        std::vector<int> in(3000, 1);
        std::vector<int> out(3000);
        const auto waits = [](Request& request, int& times) -> Task {
            co_await request;
            ++times;
        };
        int times = 0;
        std::optional<Request> request = me.start.allreduce(in, out, sum);
        const Task task = waits(*request, times);
        request.reset();
        CHECK(task.is_done());
        CHECK(times == 1);
        Request kept = me.start.allreduce(in, out, max);
        { const Task destroyed = waits(kept, times); }
        const bool was_over = times == 2;
        kept.wait();
        me.barrier();
        CHECK(times == (was_over ? 2 : 1));
    });
}

TEST_CASE("one function or coroutine waits for an operation") {
    Team team({.members = 2, .placement = "none"});
    std::atomic<bool> is_through{false};
    team.run([&](Member& me) {
        if (me.rank() == 1) {
            while (!is_through) {
            }
        }
        Request request = me.start.barrier();
        if (me.rank() == 0) {
            int called = 0;
            request.then([&] { ++called; });
            CHECK(mentions(thrown_by([&] { request.then([] {}); }).text, "waits for this operation already"));
            CHECK(thrown_by([&] { request.then(nullptr); }).kind == Thrown::Kind::argument);
            is_through = true;
            request.wait();
            CHECK(called == 1);
        }
        request.wait();
    });
    Persistent moved = [&] {
        std::optional<Persistent> made;
        team.run([&](Member& me) {
            Persistent step = me.prepare.barrier();
            if (me.rank() == 0) {
                made.emplace(std::move(step));
            }
        });
        return std::move(*made);
    }();
    const Persistent taken = std::move(moved);
    CHECK(mentions(thrown_by([&] { moved.start(); }).text, "moved from")); // NOLINT(bugprone-use-after-move)
}

TEST_CASE("what a member has in flight when its part ends is waited for") {
    Team team({.members = 2, .placement = "none"});
    std::array<std::vector<int>, 2> in{std::vector<int>(1000, 1), std::vector<int>(1000, 1)};
    std::array<std::vector<int>, 2> out{std::vector<int>(1000), std::vector<int>(1000)};
    std::array<Request, 2> kept;
    std::array<std::optional<Persistent>, 2> step;
    team.run([&](Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        kept[rank] = me.start.allreduce(in[rank], out[rank], sum);
        step[rank].emplace(me.prepare.barrier());
    });
    CHECK(out[0][999] == 2);
    CHECK(out[1][999] == 2);
    CHECK(kept[0].test());
    kept[1].wait();
    CHECK(mentions(thrown_by([&] { step[0]->start(); }).text, "has left"));
    test::check_usable(team);
}

TEST_CASE("a failure ends all that is in flight, once and for all, and the next run is whole") {
    Team team({.members = members, .placement = "none"});
    for (int failing = 0; failing < members; ++failing) {
        std::array<std::vector<Request>, members> kept;
        std::vector<std::vector<int>> vectors(members * 100, std::vector<int>(500, 1));
        const Ended ended = run(team, [&](Member& me) {
            const auto rank = static_cast<std::size_t>(me.rank());
            for (std::size_t i = 0; i < 100; ++i) {
                if (me.rank() == failing && i == 50) {
                    throw std::runtime_error("member gives up");
                }
                kept[rank].push_back(me.start.allreduce(vectors[100 * rank + i], sum));
            }
            wait_all(kept[rank]);
        });
        CHECK(ended.run.text == "member gives up");
        CHECK(ended.each.count(Thrown::Kind::aborted) == members - 1);
        for (auto& requests : kept) {
            for (Request& request : requests) {
                const Thrown again = thrown_by([&] { request.wait(); });
                CHECK((again.kind == Thrown::Kind::aborted || again.kind == Thrown::Kind::nothing));
            }
        }
        kept = {};
        team.run([&](Member& me) {
            std::vector<int> vector(10, 1);
            me.start.allreduce(vector, sum).wait();
            CHECK(vector[0] == members);
        });
        test::check_usable(team);
    }
}

TEST_CASE("after a failure nobody touches the vectors of what has been in flight, and coroutines go on") {
    Team team({.members = 2, .placement = "none"});
    std::atomic<bool> has_failed{false};
    const Ended ended = run(team, [&](Member& me) {
        std::vector<int> in(1000, 1);
        std::vector<int> out(1000);
        if (me.rank() == 1) {
            has_failed = true;
            throw std::runtime_error("broken");
        }
        Request other = me.start.barrier();
        const Task task = one_step(me, in, out);
        while (!has_failed) {
        }
        while (thrown_by([&] { other.test(); }).kind == Thrown::Kind::nothing) {
        }
        // Whichever request was asked, all are over.
        CHECK(mentions(thrown_by([] { wait_until([] { return false; }); }).text, "nothing in flight"));
        CHECK(task.is_done());
        CHECK(thrown_by([&] { std::rethrow_exception(task.thrown()); }).kind == Thrown::Kind::aborted);
    });
    CHECK(ended.run.text == "broken");
    test::check_usable(team);
}

TEST_CASE("an operator that throws ends the operation for all, who are told why") {
    Team team({.members = members, .placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        std::vector<int> vector(100, me.rank());
        Request request = me.start.allreduce(vector, [](int a, int b) {
            if (a + b > 0) {
                throw std::runtime_error("no more");
            }
            return a + b;
        });
        me.start.barrier().wait();
        request.wait();
    });
    CHECK(ended.run.text == "no more");
    CHECK(ended.each.count(Thrown::Kind::nothing) == 0);
    test::check_usable(team);
}

TEST_CASE("a continuation that throws is a failure of its member") {
    Team team({.members = 2, .placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        Request request = me.start.barrier();
        request.then([&] {
            if (me.rank() == 1) {
                throw std::runtime_error("in a continuation");
            }
        });
        request.wait();
        me.barrier();
    });
    CHECK(ended.run.text == "in a continuation");
    test::check_usable(team);
}

TEST_CASE("who fails does not wait for one that computes with operations in flight") {
    Team team({.members = 2, .placement = "none"});
    std::atomic<bool> is_started{false};
    std::atomic<bool> has_failed{false};
    const Ended ended = run(team, [&](Member& me) {
        std::vector<int> vector(10000, 1);
        std::vector<int> other(7);
        const auto operation = [](int, int) -> int { throw std::runtime_error("operator"); };
        Request request = me.start.allreduce(vector, sum);
        if (me.rank() == 0) {
            const Request fails = me.start.allreduce(other, operation);
            is_started = true;
            while (!has_failed) { // computes
            }
            request.wait();
        } else {
            while (!is_started) {
            }
            const Thrown thrown = thrown_by([&] { me.start.allreduce(other, operation).wait(); });
            has_failed = true;
            CHECK(thrown.text == "operator");
        }
    });
    CHECK(ended.run.text == "operator");
    test::check_usable(team);
}
