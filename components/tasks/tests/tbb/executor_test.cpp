// Arenas of oneTBB that share in the work of large operations.

#include "tests/test.hpp"

#include <tutti/async_group.hpp>
#include <tutti/single_caller.hpp>
#include <tutti/tbb.hpp>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace {

using Vector = std::vector<std::int64_t>;

constexpr std::size_t elements = 300000;

} // namespace

TEST_CASE("an arena shares in what one thread calls for, from outside and from inside") {
    for (const int threads : {1, 2, 4}) {
        ::tbb::task_arena arena(threads);
        const tutti::Executor executor = tutti::tbb::executor(arena);
        const auto add = [&] {
            std::array<Vector, 3> vectors{Vector(elements, 1), Vector(elements, 2), Vector(elements, 3)};
            tutti::single_caller::allreduce(vectors, tutti::sum, executor);
            CHECK(vectors[2] == Vector(elements, 6));
        };
        for (int round = 0; round < 10; ++round) {
            add();
            arena.execute(add);
        }
    }
}

TEST_CASE("an arena whose threads are busy keeps no caller waiting") {
    ::tbb::task_arena arena(2, 0);
    ::tbb::task_group group;
    std::atomic<bool> is_done = false;
    arena.execute([&] {
        for (int task = 0; task < 4; ++task) {
            group.run([&] { is_done.wait(false); });
        }
    });
    std::array<Vector, 2> vectors{Vector(elements, 1), Vector(elements, 2)};
    tutti::single_caller::allreduce(vectors, tutti::sum, tutti::tbb::executor(arena));
    CHECK(vectors[0] == Vector(elements, 3));
    is_done = true;
    is_done.notify_all();
    arena.execute([&] { group.wait(); });
}

TEST_CASE("the last task to arrive leaves its arena's threads the work") {
    for (const int threads : {1, 2, 4}) {
        ::tbb::task_arena arena(threads);
        tutti::AsyncGroup meeting(4, {.executor = tutti::tbb::executor(arena)});
        std::array<Vector, 4> vectors;
        vectors.fill(Vector(elements, 1));
        for (int round = 0; round < 5; ++round) {
            ::tbb::task_group group;
            arena.execute([&] {
                for (int rank = 0; rank < 4; ++rank) {
                    group.run([&, rank] {
                        tutti::tbb::wait(
                            meeting.at(rank).allreduce(vectors[static_cast<std::size_t>(rank)], tutti::max));
                    });
                }
                group.wait();
            });
        }
        CHECK(vectors[3] == Vector(elements, 1));
    }
}
