// Ranks that arrive in any order, from any threads, several operations ahead of others.

#include "support.hpp"

#include <tutti/observe.hpp>

using namespace tutti;

namespace {

constexpr int rounds = test::reduced ? 200 : 2000;

/// One of all ranks after the other, in random order.
template <class Arrive>
void arrive_in_any_order(int ranks, std::mt19937& random, Arrive arrive) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<AsyncRequest> requests;
    for (const int rank : order) {
        requests.push_back(arrive(rank));
    }
    wait_all(requests);
}

using Vector = std::vector<std::int64_t>;

/// Goes on on a worker of the pool.
struct Yield {
    test::Pool& pool;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) const { pool.add(coroutine); }
    void await_resume() const {}
};

/// Rounds in which every rank contributes what it has got in the round before.
test::Task act(test::Pool& pool, AsyncGroup& meeting, int rank, std::atomic<int>& wrong, std::latch& done) {
    std::minstd_rand random(static_cast<unsigned>(rank + 1));
    const std::int64_t size = meeting.size();
    std::array<std::int64_t, 3> in{};
    std::array<std::int64_t, 3> out{};
    for (int round = 0; round < rounds / 10; ++round) {
        in = {rank, round, rank + round};
        co_await meeting.at(rank).allreduce(in, out, sum);
        const std::int64_t ranks = size * (size - 1) / 2;
        wrong += out == std::array{ranks, size * round, ranks + size * round} ? 0 : 1;
        if (random() % 2 == 0) {
            co_await Yield{pool};
        }
        std::int64_t value = rank == round % size ? round : -1;
        co_await meeting.at(rank).broadcast(std::span(&value, 1), static_cast<int>(round % size));
        wrong += value == round ? 0 : 1;
    }
    done.count_down();
}

} // namespace

TEST_CASE("one result for all, in slices") {
    AsyncGroup meeting(3, {.executor = test::backwards(), .slice_bytes = 8});
    std::mt19937 random(2);
    const std::vector<Vector> ins{{1, 2}, {3, 4}, {5, 6}};
    Vector out(2);
    arrive_in_any_order(3, random, [&](int rank) {
        return meeting.at(rank).allreduce(ins[static_cast<std::size_t>(rank)], shared(out), sum);
    });
    CHECK(out == Vector{9, 12});
    const std::vector<std::size_t> counts{2, 0, 1};
    Vector all(3);
    arrive_in_any_order(3, random, [&](int rank) {
        const std::span own = ins[static_cast<std::size_t>(rank)];
        return meeting.at(rank).allgather(own.first(counts[static_cast<std::size_t>(rank)]), shared(all),
                                          Counts(counts));
    });
    CHECK(all == Vector{1, 2, 5});
}

TEST_CASE("some may pass one vector as both, which the others cannot know") {
    AsyncGroup meeting(2);
    Vector both{1, 2};
    const Vector in{3, 4};
    Vector out(2);
    AsyncRequest exchanged = meeting.at(0).alltoall(both, both);
    meeting.at(1).alltoall(in, out).wait();
    CHECK(both == Vector{1, 3});
    CHECK(out == Vector{2, 4});
    AsyncRequest shifted = meeting.at(0).shift(both, both, 1);
    meeting.at(1).shift(in, out, 1).wait();
    CHECK(both == in);
    CHECK(out == Vector{1, 3});
}

TEST_CASE("a rank may be operations ahead of another") {
    AsyncGroup meeting(4);
    constexpr int operations = 50;
    std::mt19937 random(1);
    std::vector<std::vector<int>> values(4, std::vector<int>(operations));
    std::vector<std::vector<AsyncRequest>> requests(4);
    std::vector<std::size_t> arrivals;
    for (std::size_t rank = 0; rank < 4; ++rank) {
        arrivals.insert(arrivals.end(), operations, rank);
        for (int i = 0; i < operations; ++i) {
            values[rank][static_cast<std::size_t>(i)] = i + 100 * static_cast<int>(rank);
        }
    }
    std::shuffle(arrivals.begin(), arrivals.end(), random);
    for (const std::size_t rank : arrivals) {
        const std::size_t number = requests[rank].size();
        requests[rank].push_back(
            meeting.at(static_cast<int>(rank)).allreduce(std::span(&values[rank][number], 1), sum));
        const std::size_t complete =
            std::ranges::min_element(requests, {}, &std::vector<AsyncRequest>::size)->size();
        for (auto& of_rank : requests) {
            for (std::size_t i = 0; i < of_rank.size(); ++i) {
                CHECK(of_rank[i].test() == (i < complete));
            }
        }
    }
    for (const auto& of_rank : values) {
        for (int i = 0; i < operations; ++i) {
            CHECK(of_rank[static_cast<std::size_t>(i)] == 4 * i + 600);
        }
    }
}

TEST_CASE("64 ranks on two workers") {
    AsyncGroup meeting(64);
    std::atomic<int> wrong = 0;
    std::latch done(64);
    {
        test::Pool pool(2);
        for (int rank = 0; rank < 64; ++rank) {
            pool.add([&, rank] { act(pool, meeting, rank, wrong, done); });
        }
        done.wait();
    }
    CHECK(wrong == 0);
}

TEST_CASE("a chain of operations, each begun by the one before, takes up no stack") {
    AsyncGroup meeting(2);
    int left = 200000;
    std::array<AsyncRequest, 2> requests;
    std::function<void(int)> step = [&](int rank) {
        if (left-- > 0) {
            requests[static_cast<std::size_t>(rank)] = meeting.at(rank).barrier();
            requests[static_cast<std::size_t>(rank)].then(
                [&step, rank](const auto& /*failure*/) { step(rank); });
        }
    };
    step(0);
    step(1);
    CHECK(left <= 0);
}

TEST_CASE("two threads may wait for one request, and anybody for any") {
    for (int round = 0; round < 20; ++round) {
        AsyncGroup meeting(2);
        int one = 1;
        int two = 2;
        AsyncRequest mine = meeting.at(0).allreduce(std::span(&one, 1), sum);
        std::atomic<int> seen = 0;
        AsyncRequest second;
        test::on_threads(3, [&](int thread) {
            if (thread < 2) {
                mine.wait();
                seen += one;
            } else {
                second = meeting.at(1).allreduce(std::span(&two, 1), sum);
            }
        });
        CHECK(seen == 6);
        CHECK(second.test());
    }
}

TEST_CASE("threads that act for all ranks at random, with many operations open") {
    constexpr int ranks = 5;
    constexpr int threads = 3;
    test::Pool pool(1);
    for (const bool sliced : {false, true}) {
        AsyncGroup meeting(ranks, {.executor = sliced ? pool.executor() : Executor(), .slice_bytes = 64});
        struct Rank {
            std::mutex mutex;
            int made = 0;
            std::vector<std::array<std::int64_t, 20>> values;
            std::vector<AsyncRequest> requests;
        };
        std::array<Rank, ranks> all;
        for (Rank& rank : all) {
            rank.values.resize(rounds);
            rank.requests.resize(rounds);
        }
        const auto make_one = [&](int number, Rank& rank) {
            const auto index = static_cast<std::size_t>(rank.made++);
            rank.values[index].fill(number + static_cast<int>(index));
            rank.requests[index] = meeting.at(number).allreduce(rank.values[index], sum);
        };
        const auto act = [&](unsigned seed) {
            std::minstd_rand random(seed);
            for (int left = ranks * rounds * 4; left > 0; --left) {
                const int number = static_cast<int>(random() % ranks);
                Rank& rank = all[static_cast<std::size_t>(number)];
                const std::lock_guard lock(rank.mutex);
                if (rank.made < rounds) {
                    make_one(number, rank);
                    if (number != 0 && random() % 4 == 0) { // let go of, complete or not
                        rank.requests[random() % static_cast<std::size_t>(rank.made)] = AsyncRequest();
                    }
                }
            }
        };
        test::on_threads(threads, [&](int thread) { act(static_cast<unsigned>(thread + 1)); });
        for (int number = 0; number < ranks; ++number) {
            Rank& rank = all[static_cast<std::size_t>(number)];
            while (rank.made < rounds) { // what nobody happened to do
                make_one(number, rank);
            }
        }
        wait_all(all[0].requests);
        int wrong = 0;
        for (const Rank& rank : all) {
            for (std::size_t index = 0; index < rank.values.size(); ++index) {
                wrong += rank.values[index][19] == 10 + 5 * static_cast<std::int64_t>(index) ? 0 : 1;
            }
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("who waits does itself what an executor does not begin") {
    for (int round = 0; round < 20; ++round) {
        test::Idle idle;
        AsyncGroup meeting(2, {.executor = idle.executor(), .slice_bytes = 64});
        std::array<std::vector<int>, 2> values{std::vector(1000, 1), std::vector(1000, 2)};
        AsyncRequest mine = meeting.at(0).allreduce(values[0], sum);
        std::atomic<int> seen = 0;
        std::thread before([&] { // before the last rank arrives, or after
            CHECK(mine.wait_for(std::chrono::hours(1)));
            seen += values[0][999];
        });
        AsyncRequest second = meeting.at(1).allreduce(values[1], sum);
        bool is_called = false;
        second.then([&](const auto& /*failure*/) { is_called = true; });
        before.join();
        CHECK(seen == 3);
        CHECK(second.test());
        CHECK(is_called);
        CHECK(values[1] == std::vector(1000, 3));
        idle.run();
        CHECK(values[1] == std::vector(1000, 3));
    }
}

TEST_CASE("a request that is dropped before its operation is over is reported, once per group") {
    std::vector<std::string> texts;
    set_log([&](Severity severity, std::string_view text) {
        texts.emplace_back(text);
        CHECK(severity == Severity::warning);
    });
    std::vector<int> values[2] = {{1}, {2}};
    for (const bool by_destructor : {true, false}) {
        texts.clear();
        AsyncGroup meeting(2);
        std::optional<AsyncRequest> mine(meeting.at(0).barrier());
        meeting.at(1).barrier().wait();
        mine = meeting.at(0).barrier(); // the one before is over
        AsyncRequest moved = std::move(*mine);
        moved.then([](const std::exception_ptr&) {});
        moved = meeting.at(0).barrier();
        moved.detach();
        CHECK(!moved.valid());
        moved.detach();
        CHECK(texts.empty());
        mine = meeting.at(0).allreduce(values[0], sum);
        const unsigned line = __LINE__ - 1;
        by_destructor ? mine.reset() : static_cast<void>(mine = AsyncRequest());
        REQUIRE(texts.size() == 1);
        INFO(texts[0]);
        for (const std::string& says :
             {std::string("an async group of 2 ranks: rank 0 has dropped the request "
                          "of operation 4, allreduce of 4 bytes of i32 with sum"),
              "order_test.cpp:" + std::to_string(line), std::string("detach()")}) {
            CHECK(texts[0].find(says) != std::string::npos);
        }
        static_cast<void>(meeting.at(0).barrier());
        CHECK(texts.size() == 1);
    }
    set_log({});
}

TEST_CASE("nobody waits for an executor where nobody waits") {
    test::Idle idle;
    std::array<std::vector<int>, 2> values{std::vector(1000, 1), std::vector(1000, 2)};
    AsyncRequest request;
    {
        AsyncGroup meeting(2, {.executor = idle.executor(), .slice_bytes = 64});
        request = meeting.at(0).allreduce(values[0], sum);
        static_cast<void>(meeting.at(1).allreduce(values[1], sum));
        CHECK(!request.test());
    }
    idle.run();
    CHECK(request.test());
    CHECK(values[0] == std::vector(1000, 3));
}
