// Tasks of oneTBB that wait for one another's arrival, and are suspended meanwhile.

#include "tests/test.hpp"

#include <tutti/async_group.hpp>
#include <tutti/tbb.hpp>
#include <tutti/tutti.hpp>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

using namespace tutti::test;

namespace {

/// Runs task(0) .. task(count - 1) in an arena, and returns when they have returned.
void run_tasks(::tbb::task_arena& arena, int count, const std::function<void(int)>& task) {
    ::tbb::task_group group;
    arena.execute([&] {
        for (int rank = 0; rank < count; ++rank) {
            group.run([&, rank] { task(rank); });
        }
        group.wait();
    });
}

struct Throwing {
    int operator()(int /*left*/, int /*right*/) const { throw std::runtime_error("operator"); }
};

} // namespace

TEST_CASE("64 ranks on two threads") {
    constexpr int ranks = 64;
    ::tbb::task_arena arena(2);
    tutti::AsyncGroup meeting(ranks);
    std::atomic<int> wrong = 0;
    run_tasks(arena, ranks, [&](int rank) {
        for (int round = 0; round < 50; ++round) {
            std::array<std::int64_t, 2> values{rank, round};
            tutti::tbb::wait(meeting.at(rank).allreduce(values, tutti::sum));
            wrong += values[0] == ranks * (ranks - 1) / 2 && values[1] == ranks * round ? 0 : 1;
            int value = rank == round ? round : -1;
            tutti::tbb::wait(meeting.at(rank).broadcast(std::span(&value, 1), round));
            wrong += value == round ? 0 : 1;
        }
    });
    CHECK(wrong == 0);
}

TEST_CASE("where all tasks wait, a thread outside their arena lets them go on") {
    constexpr int ranks = 16;
    for (const int threads : {1, 2}) {
        ::tbb::task_arena arena(threads, 0);
        tutti::AsyncGroup meeting(ranks + 1);
        std::atomic<int> arrived = 0;
        std::atomic<int> sums = 0;
        std::thread outside([&] {
            for (int rounds = 1; rounds <= 20; ++rounds) {
                while (arrived < rounds * ranks) {
                    std::this_thread::yield();
                }
                int one = 1;
                meeting.at(ranks).allreduce(std::span(&one, 1), tutti::sum).wait();
                sums += one;
            }
        });
        ::tbb::task_group group;
        arena.execute([&] {
            for (int rank = 0; rank < ranks; ++rank) {
                group.run([&, rank] {
                    for (int round = 0; round < 20; ++round) {
                        int one = 1;
                        const tutti::AsyncRequest request =
                            meeting.at(rank).allreduce(std::span(&one, 1), tutti::sum);
                        ++arrived;
                        tutti::tbb::wait(request);
                        sums += one;
                    }
                });
            }
        });
        outside.join();
        arena.execute([&] { group.wait(); });
        CHECK(sums == 20 * (ranks + 1) * (ranks + 1));
    }
}

TEST_CASE("a thread that is in no arena may wait, too") {
    tutti::AsyncGroup meeting(2);
    int mine = 1;
    int other = 2;
    const tutti::AsyncRequest request = meeting.at(0).allreduce(std::span(&mine, 1), tutti::sum);
    std::thread thread([&] { meeting.at(1).allreduce(std::span(&other, 1), tutti::sum).wait(); });
    tutti::tbb::wait(request);
    CHECK(mine == 3);
    thread.join();
    tutti::tbb::wait(request); // complete
    tutti::tbb::wait(tutti::AsyncRequest());
}

TEST_CASE("tasks that wait for what fails go on, and are told") {
    ::tbb::task_arena arena(2);
    tutti::AsyncGroup meeting(8);
    std::array<std::string, 8> texts;
    run_tasks(arena, 8, [&](int rank) {
        int one = 1;
        std::string& text = texts[static_cast<std::size_t>(rank)];
        text = message_of<std::runtime_error>(
            [&] { tutti::tbb::wait(meeting.at(rank).allreduce(std::span(&one, 1), Throwing())); });
        text += " and " + message_of<tutti::MismatchError>([&] {
                    tutti::tbb::wait(meeting.at(rank).broadcast(std::span(&one, 1), rank == 3 ? 1 : 0));
                });
        tutti::tbb::wait(meeting.at(rank).allreduce(std::span(&one, 1), tutti::sum));
        text += " and " + std::to_string(one);
    });
    for (const std::string& text : texts) {
        CHECK(mentions(text, "operator and members 0 and 3 differ"));
        CHECK(mentions(text, " and 8"));
    }
}

TEST_CASE("tasks that wait for an async group that is destroyed are told") {
    ::tbb::task_arena arena(2);
    std::optional<tutti::AsyncGroup> meeting(5);
    std::array<std::string, 4> texts;
    std::atomic<int> arrived = 0;
    std::thread outside([&] {
        while (arrived < 4) {
            std::this_thread::yield();
        }
        meeting.reset();
    });
    run_tasks(arena, 4, [&](int rank) {
        int one = 1;
        const tutti::AsyncRequest request = meeting->at(rank).allreduce(std::span(&one, 1), tutti::sum);
        ++arrived;
        texts[static_cast<std::size_t>(rank)] = message_of<tutti::Error>([&] { tutti::tbb::wait(request); });
    });
    outside.join();
    for (const std::string& text : texts) {
        CHECK(mentions(text, "the async group has been destroyed"));
    }
}

template <class R>
concept CanBeWaitedFor = requires(R& request) {
    tutti::tbb::wait(request);
};
static_assert(CanBeWaitedFor<tutti::AsyncRequest>);
static_assert(!CanBeWaitedFor<tutti::Request>); // only its thread may use it
static_assert(!CanBeWaitedFor<tutti::Persistent>);

TEST_CASE("what cannot be waited for so is refused") {
    tutti::AsyncGroup meeting(2);
    int mine = 1;
    int other = 2;
    tutti::AsyncRequest request = meeting.at(0).allreduce(std::span(&mine, 1), tutti::sum);
    bool is_called = false;
    request.then([&](const auto& /*failure*/) { is_called = true; });
    CHECK(mentions(message_of<tutti::Error>([&] { tutti::tbb::wait(request); }), "accepts one"));

    std::string text;
    tutti::AsyncRequest second = meeting.at(1).allreduce(std::span(&other, 1), tutti::sum);
    CHECK(is_called);
    second.then([&](const auto& /*failure*/) {
        text = message_of<tutti::Error>([&] { tutti::tbb::wait(meeting.at(0).barrier()); });
    });
    CHECK(mentions(text, "passed to then()"));
}
