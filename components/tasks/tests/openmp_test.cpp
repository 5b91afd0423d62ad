// Threads of OpenMP that share in the work of large operations.

#include <tutti/all_buffers.hpp>
#include <tutti/async_group.hpp>
#include <tutti/openmp.hpp>

#include <doctest/doctest.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

using namespace tutti;

namespace {

using Vector = std::vector<std::int64_t>;

constexpr std::size_t elements = 300000;
constexpr int threads = 3;

} // namespace

TEST_CASE("every task of a region is run once, by its threads") {
    for (int round = 0; round < 50; ++round) {
        std::vector<std::atomic<int>> runs(100);
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
            openmp_executor()(runs.size(), [&](std::size_t index) { ++runs[index]; });
        }
        for (const std::atomic<int>& run : runs) {
            CHECK(run == 1);
        }
    }
}

TEST_CASE("outside of a region the calling thread runs them before it returns") {
    int runs = 0;
    openmp_executor()(100, [&](std::size_t index) { runs += index < 100 ? 1 : 0; });
    CHECK(runs == 100);
}

TEST_CASE("one thread with all buffers in a region, in a region of one thread, and outside") {
    const auto add = [] {
        std::array<Vector, 3> vectors{Vector(elements, 1), Vector(elements, 2), Vector(elements, 3)};
        all_buffers::allreduce(vectors, sum, openmp_executor());
        return vectors[2] == Vector(elements, 6);
    };
    CHECK(add());
    for (const int size : {1, threads}) {
        std::atomic<int> right = 0;
#pragma omp parallel num_threads(size)
        {
#pragma omp single
            right += add() ? 1 : 0;
            right += add() ? 1 : 0; // by all at the same time
        }
        CHECK(right == size + 1);
    }
}

TEST_CASE("the tasks of a region arrive for the ranks of an async group") {
    constexpr int ranks = 8;
    AsyncGroup meeting(ranks, {.executor = openmp_executor()});
    std::vector<Vector> vectors(ranks, Vector(elements, 1));
    std::vector<AsyncRequest> requests(ranks);
    for (int round = 0; round < 5; ++round) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
            for (std::size_t rank = 0; rank < ranks; ++rank) {
#pragma omp task firstprivate(rank) shared(meeting, vectors, requests)
                requests[rank] = meeting.at(static_cast<int>(rank)).allreduce(vectors[rank], max);
            }
        }
        for (AsyncRequest& request : requests) {
            CHECK(request.test()); // when the region has ended, all tasks have run
        }
    }
    CHECK(vectors[7] == Vector(elements, 1));
}
