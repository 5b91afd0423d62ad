// oneTBB: arenas that share in the work of large operations, pinned threads, tasks that wait for one another.

#include "support.hpp"

#include <tutti/tbb.hpp>

#include <sched.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

using namespace tutti::test;

namespace {

using Vector = std::vector<std::int64_t>;

constexpr std::size_t elements = 300000;

TEST_CASE("an arena shares in what one thread calls for, from outside and from inside") {
    for (const int threads : {1, 2, 4}) {
        ::tbb::task_arena arena(threads);
        const tutti::Executor executor = tutti::executor_of(arena);
        const auto add = [&] {
            std::array<Vector, 3> vectors{Vector(elements, 1), Vector(elements, 2), Vector(elements, 3)};
            tutti::all_buffers::allreduce(vectors, tutti::sum, executor);
            CHECK(vectors[2] == Vector(elements, 6));
        };
        for (int round = 0; round < 10; ++round) {
            add();
            arena.execute(add);
        }
    }
}

TEST_CASE("an arena whose threads are busy keeps no thread waiting") {
    ::tbb::task_arena arena(2, 0);
    ::tbb::task_group group;
    std::atomic<bool> is_done = false;
    arena.execute([&] {
        for (int task = 0; task < 4; ++task) {
            group.run([&] { is_done.wait(false); });
        }
    });
    std::array<Vector, 2> vectors{Vector(elements, 1), Vector(elements, 2)};
    tutti::all_buffers::allreduce(vectors, tutti::sum, tutti::executor_of(arena));
    CHECK(vectors[0] == Vector(elements, 3));
    is_done = true;
    is_done.notify_all();
    arena.execute([&] { group.wait(); });
}

TEST_CASE("the last task to arrive leaves its arena's threads the work") {
    for (const int threads : {1, 2, 4}) {
        ::tbb::task_arena arena(threads);
        tutti::AsyncGroup meeting(4, {.executor = tutti::executor_of(arena)});
        std::array<Vector, 4> vectors;
        vectors.fill(Vector(elements, 1));
        for (int round = 0; round < 5; ++round) {
            ::tbb::task_group group;
            arena.execute([&] {
                for (int rank = 0; rank < 4; ++rank) {
                    group.run([&, rank] {
                        tutti::tbb_wait(
                            meeting.at(rank).allreduce(vectors[static_cast<std::size_t>(rank)], tutti::max));
                    });
                }
                group.wait();
            });
        }
        CHECK(vectors[3] == Vector(elements, 1));
    }
}

std::vector<int> cpus_of_this_thread() {
    cpu_set_t set;
    CPU_ZERO(&set);
    REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) {
            cpus.push_back(cpu);
        }
    }
    return cpus;
}

/// Whether each thread of an arena that comes is where its slot has been placed.
bool are_placed(::tbb::task_arena& arena, const std::vector<int>& cpus) {
    std::atomic<int> elsewhere = 0;
    arena.execute([&] {
        ::tbb::parallel_for(
            0, 200,
            [&](int) {
                const auto slot = static_cast<std::size_t>(::tbb::this_task_arena::current_thread_index());
                elsewhere += cpus_of_this_thread() == std::vector<int>{cpus[slot % cpus.size()]} ? 0 : 1;
            },
            ::tbb::simple_partitioner());
    });
    return elsewhere == 0;
}

TEST_CASE("threads are pinned while they are in an arena, and the calling one only then") {
    const std::vector<int> before = cpus_of_this_thread();
    for (const tutti::Placement placement : {tutti::Placement::compact, tutti::Placement::scatter}) {
        ::tbb::task_arena arena(static_cast<int>(before.size()));
        const tutti::ArenaPinning pinning(arena, placement);
        CHECK(are_placed(arena, tutti::cpus_of_placement(placement, arena.max_concurrency())));
        CHECK(cpus_of_this_thread() == before);
    }
}

TEST_CASE("an arena in an arena gives back what the outer one has") {
    const std::vector<int> before = cpus_of_this_thread();
    ::tbb::task_arena outer(1);
    ::tbb::task_arena inner(1);
    const tutti::ArenaPinning on_first(outer, tutti::Placement::cpus({before.front()}));
    const tutti::ArenaPinning on_last(inner, tutti::Placement::cpus({before.back()}));
    outer.execute([&] {
        CHECK(cpus_of_this_thread() == std::vector<int>{before.front()});
        inner.execute([&] { CHECK(cpus_of_this_thread() == std::vector<int>{before.back()}); });
        CHECK(cpus_of_this_thread() == std::vector<int>{before.front()});
    });
    CHECK(cpus_of_this_thread() == before);
}

TEST_CASE("threads that are still in the arena are given back what they had") {
    const std::vector<int> before = cpus_of_this_thread();
    ::tbb::task_arena arena(2, 0);
    std::vector<int> after;
    std::atomic<int> stage = 0;
    {
        const tutti::ArenaPinning pinning(arena, tutti::Placement::cpus({before.front()}));
        arena.enqueue([&] {
            stage = 1;
            stage.notify_all();
            stage.wait(1);
            after = cpus_of_this_thread();
            stage = 3;
            stage.notify_all();
        });
        stage.wait(0);
    }
    stage = 2;
    stage.notify_all();
    stage.wait(2);
    CHECK(after == before);
}

TEST_CASE("nobody is pinned where the placement says so, and one that cannot be read is refused") {
    const std::vector<int> before = cpus_of_this_thread();
    ::tbb::task_arena arena(1);
    {
        const tutti::ArenaPinning pinning(arena, tutti::Placement::none);
        arena.execute([&] { CHECK(cpus_of_this_thread() == before); });
    }
    CHECK_THROWS_AS(tutti::ArenaPinning(arena, tutti::Placement::parse("nonsense")), tutti::ArgumentError);
    CHECK_THROWS_AS(tutti::cpus_of_placement(tutti::Placement::compact, -1), tutti::ArgumentError);
}

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
                        tutti::tbb_wait(request);
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
    tutti::tbb_wait(request);
    CHECK(mine == 3);
    thread.join();
    tutti::tbb_wait(request); // complete
    tutti::tbb_wait(tutti::AsyncRequest());
}

TEST_CASE("tasks that wait for what fails go on, and are told") {
    ::tbb::task_arena arena(2);
    tutti::AsyncGroup meeting(8);
    std::array<std::string, 8> texts;
    run_tasks(arena, 8, [&](int rank) {
        int one = 1;
        std::string& text = texts[static_cast<std::size_t>(rank)];
        text = message_of<std::runtime_error>(
            [&] { tutti::tbb_wait(meeting.at(rank).allreduce(std::span(&one, 1), Throwing())); });
        text += " and " + message_of<tutti::MismatchError>([&] {
                    tutti::tbb_wait(meeting.at(rank).broadcast(std::span(&one, 1), rank == 3 ? 1 : 0));
                });
        tutti::tbb_wait(meeting.at(rank).allreduce(std::span(&one, 1), tutti::sum));
        text += " and " + std::to_string(one);
    });
    for (const std::string& text : texts) {
        CHECK(mentions(text, "operator and members 0 and 3 differ"));
        CHECK(mentions(text, " and 8"));
    }
}

template <class R>
concept CanBeWaitedFor = requires(R& request) {
    tutti::tbb_wait(request);
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
    CHECK(mentions(message_of<tutti::Error>([&] { tutti::tbb_wait(request); }), "accepts one"));

    std::string text;
    tutti::AsyncRequest second = meeting.at(1).allreduce(std::span(&other, 1), tutti::sum);
    CHECK(is_called);
    second.then([&](const auto& /*failure*/) {
        text = message_of<tutti::Error>([&] { tutti::tbb_wait(meeting.at(0).barrier()); });
    });
    CHECK(mentions(text, "passed to then()"));
}

} // namespace
