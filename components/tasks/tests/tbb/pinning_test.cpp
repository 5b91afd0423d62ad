// Arenas whose threads are pinned as those of a team.

#include "tests/test.hpp"

#include <tutti/error.hpp>
#include <tutti/tbb.hpp>

#include <sched.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace {

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

} // namespace

TEST_CASE("threads are pinned while they are in an arena, and the caller's only then") {
    const std::vector<int> before = cpus_of_this_thread();
    for (const char* placement : {"compact", "scatter"}) {
        ::tbb::task_arena arena(static_cast<int>(before.size()));
        const tutti::tbb::Pinning pinning(arena, placement);
        CHECK(are_placed(arena, tutti::cpus_of_placement(placement, arena.max_concurrency())));
        CHECK(cpus_of_this_thread() == before);
    }
}

TEST_CASE("an arena in an arena gives back what the outer one has") {
    const std::vector<int> before = cpus_of_this_thread();
    ::tbb::task_arena outer(1);
    ::tbb::task_arena inner(1);
    const tutti::tbb::Pinning on_first(outer, std::to_string(before.front()));
    const tutti::tbb::Pinning on_last(inner, std::to_string(before.back()));
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
        const tutti::tbb::Pinning pinning(arena, std::to_string(before.front()));
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
        const tutti::tbb::Pinning pinning(arena, "none");
        arena.execute([&] { CHECK(cpus_of_this_thread() == before); });
    }
    CHECK_THROWS_AS(tutti::tbb::Pinning(arena, "nonsense"), tutti::ArgumentError);
    CHECK_THROWS_AS(tutti::cpus_of_placement("compact", -1), tutti::ArgumentError);
}
