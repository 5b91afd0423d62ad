// Requests and persistent operations: how they are waited for.

#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int members = 3;

} // namespace

TEST_CASE("operations are waited for in any order, and in any number") {
    constexpr std::size_t count = 300;
    Team team(4, {.placement = "none"});
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
    Team team(members, {.placement = "none"});
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
    Team team(2, {.placement = "none"});
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
    Team team(members, {.placement = "none"});
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

TEST_CASE("a persistent operation waits for the same start of the others, in any order among several") {
    Team team(members, {.placement = "none"});
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
    Team team(2, {.placement = "none"});
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
    Team team(members, {.placement = "none"});
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
    Team team(members, {.placement = "none"});
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

TEST_CASE("what a member has in flight when its part ends is waited for") {
    Team team(2, {.placement = "none"});
    std::array<std::vector<int>, 2> in{std::vector<int>(1000, 1), std::vector<int>(1000, 1)};
    std::array<std::vector<int>, 2> out{std::vector<int>(1000), std::vector<int>(1000)};
    std::array<Request, 2> kept;
    std::array<Persistent, 2> step;
    team.run([&](Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        kept[rank] = me.start.allreduce(in[rank], out[rank], sum);
        step[rank] = me.prepare.barrier();
    });
    CHECK(out[0][999] == 2);
    CHECK(out[1][999] == 2);
    CHECK(kept[0].test());
    kept[1].wait();
    CHECK(mentions(thrown_by([&] { step[0].start(); }).text, "has left"));
    test::check_usable(team);
}
