#include "support.hpp"
#include "without_openmp.hpp"

#include <tutti/openmp.hpp>

#include <omp.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

using namespace tutti;
using test::Thrown;

TEST_CASE("the threads of an OpenMP region are a group") {
    constexpr int members = 4;
    Group group(members);
    std::vector<int> sums(members);
    for (int i = 0; i < 50; ++i) {
#pragma omp parallel num_threads(members)
        {
            const int rank = omp_get_thread_num();
            Member me = group.join(rank);
            std::vector<int> x(100, rank + i);
            me.allreduce(x, sum);
            sums[static_cast<std::size_t>(rank)] = x[99];
        }
        REQUIRE(sums == std::vector<int>(members, 6 + 4 * i));
    }
}

TEST_CASE("a region that gets fewer threads than the group has seats ends with an error") {
    Group group(4, {.join_timeout = std::chrono::milliseconds(30)});
    std::vector<Thrown> thrown(2);
#pragma omp parallel num_threads(2)
    {
        const int rank = omp_get_thread_num();
        thrown[static_cast<std::size_t>(rank)] = test::thrown_by([&] {
            Member me = group.join(rank);
            me.barrier();
        });
    }
    for (const Thrown& each : thrown) {
        CHECK(each.kind != Thrown::Kind::nothing);
        CHECK(test::mentions(each.text, "members 2, 3 have not joined within 30 ms"));
    }
}

TEST_CASE("an exception inside one OpenMP thread releases the others") {
    constexpr int members = 3;
    for (int i = 0; i < 20; ++i) {
        Group group(members);
        std::vector<Thrown> thrown(members);
#pragma omp parallel num_threads(members)
        {
            const int rank = omp_get_thread_num();
            thrown[static_cast<std::size_t>(rank)] = test::thrown_by([&] {
                Member me = group.join(rank);
                me.barrier();
                if (rank == 1) {
                    throw std::domain_error("enough");
                }
                me.barrier();
            });
        }
        CHECK(thrown[0].kind == Thrown::Kind::aborted);
        CHECK(thrown[1].text == "enough");
        CHECK(thrown[2].kind == Thrown::Kind::aborted);
    }
}

TEST_CASE("members that come late to a region that has failed are released, and a new group works") {
    constexpr int members = 4;
    Group group(members);
    for (int i = 0; i < 400; ++i) {
        if (i % 2 == 1) { // the last region has failed
            group = Group(members);
        }
        std::vector<Thrown> thrown(members);
#pragma omp parallel num_threads(members)
        {
            const int rank = omp_get_thread_num();
            thrown[static_cast<std::size_t>(rank)] = test::thrown_by([&] {
                Member me = group.join(rank);
                if (rank == 0 && i % 2 == 0) {
                    throw std::domain_error("enough");
                }
                int value = rank;
                value = me.allreduce(value, sum);
            });
        }
        for (int rank = 0; rank < members; ++rank) {
            using enum Thrown::Kind;
            CHECK(thrown[static_cast<std::size_t>(rank)].kind == (i % 2 != 0  ? nothing
                                                                  : rank == 0 ? other
                                                                              : aborted));
        }
    }
}

TEST_CASE("an executor makes tasks in files with -fopenmp only") {
    constexpr std::size_t tasks = 1000;
    std::atomic<std::size_t> without{0};
    std::size_t without_at_return = 0;
    std::atomic<int> others{0};
    std::atomic<bool> have_two_run{false};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        const int own = omp_get_thread_num();
        executor_without_openmp()(tasks, [&](std::size_t) {
            others += omp_get_thread_num() != own ? 1 : 0;
            ++without;
        });
        without_at_return = without;
        // The two wait for each other, so that each needs a thread of its own.
        std::atomic<int> running{0};
        tutti::openmp::executor()(2, [&](std::size_t) {
            ++running;
            while (running < 2 && std::chrono::steady_clock::now() < deadline) {
            }
            have_two_run = running == 2;
        });
#pragma omp taskwait
    }
    CHECK(without_at_return == tasks);
    CHECK(others == 0);
    CHECK(have_two_run);
}

// In a process of its own (CMakeLists.txt), where the runtime has bound the only thread to the first place.
TEST_CASE("a group that is made before the first region has the CPUs of all places" * doctest::skip()) {
    if (omp_get_num_places() < 2) {
        return; // one CPU
    }
    CHECK_FALSE(test::mentions(Group(2).waits(), "share"));
}
