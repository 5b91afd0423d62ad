#include "support.hpp"
#include "without_openmp.hpp"

#include <tutti/openmp.hpp>

#include <omp.h>

namespace {

/// What so many threads of a region throw that join the group.
std::vector<Thrown> thrown_in_region(Group& group, int threads, const Part& part) {
    std::vector<Thrown> thrown(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
    {
        const int rank = omp_get_thread_num();
        thrown[static_cast<std::size_t>(rank)] = thrown_by([&] {
            Member me = group.join(rank);
            part(me);
        });
    }
    return thrown;
}

} // namespace

TEST_CASE("the threads of an OpenMP region are a group") {
    Group group(4);
    for (int i = 0; i < 50; ++i) {
        for (const Thrown& each : thrown_in_region(group, 4, [&](Member& me) {
                 std::vector<int> x(100, me.rank() + i);
                 me.allreduce(x, sum);
                 x[99] == 6 + 4 * i ? void() : throw std::logic_error("wrong sum");
             })) {
            REQUIRE(each.text == "");
        }
    }
}

TEST_CASE("a region that gets fewer threads than the group has seats ends with an error") {
    Group group(4, {.join_timeout = 30ms});
    for (const Thrown& each : thrown_in_region(group, 2, [](Member& me) { me.barrier(); })) {
        CHECK(each.kind != Kind::nothing);
        CHECK(mentions(each.text, "members 2, 3 have not joined within 30 ms"));
    }
}

TEST_CASE("members that come late to a region that has failed are released, and a new group works") {
    Group group(4);
    for (int i = 0; i < 400; ++i) {
        const bool fails = i % 2 == 0;
        if (!fails) { // the last region has failed
            group = Group(4);
        }
        const auto thrown = thrown_in_region(group, 4, [&](Member& me) {
            me.rank() == 0 && fails ? throw std::domain_error("enough")
                                    : static_cast<void>(me.allreduce(me.rank(), sum));
        });
        for (std::size_t rank = 0; rank < 4; ++rank) {
            CHECK(thrown[rank].kind == (!fails ? Kind::nothing : rank == 0 ? Kind::other : Kind::aborted));
        }
    }
}

TEST_CASE("an executor makes tasks in files with -fopenmp only") {
    constexpr std::size_t tasks = 1000;
    std::atomic<std::size_t> without{0};
    std::size_t without_at_return = 0;
    std::atomic<int> others{0};
    std::atomic<bool> have_two_run{false};
    const auto deadline = std::chrono::steady_clock::now() + 20s;
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
        tutti::openmp_executor()(2, [&](std::size_t) {
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
    CHECK_FALSE(mentions(Group(2).waits(), "share"));
}
