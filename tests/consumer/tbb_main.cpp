// Has tasks of oneTBB wait for each other, as a program outside the tree does.

#include <tutti/async_group.hpp>
#include <tutti/tbb.hpp>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <cstdio>
#include <span>

int main() {
    tbb::task_arena arena(2);
    const tutti::ArenaPinning pinning(arena);
    tutti::AsyncGroup meeting(4, {.executor = tutti::executor_of(arena)});
    std::array<int, 4> sums{0, 1, 2, 3};
    arena.execute([&] {
        tbb::task_group group;
        for (int rank = 0; rank < 4; ++rank) {
            group.run([&, rank] {
                tutti::tbb_wait(meeting.at(rank).allreduce(std::span(&sums[rank], 1), tutti::sum));
            });
        }
        group.wait();
    });
    std::printf("sum %d\n", sums[0]);
    return sums == std::array{6, 6, 6, 6} ? 0 : 1;
}
