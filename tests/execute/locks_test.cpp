// A member's first calls take no lock.

#include "tests/counted_locks.hpp"

#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <thread>
#include <vector>

using namespace tutti;

TEST_CASE("no member locks a mutex in its first calls") {
    for (const int members : {1, 2, 3}) {
        Group group(members);
        const auto work = [&](int rank) {
            Member me = group.join(rank);
            // Long vectors of several collectives and roots, each with a schedule of its own.
            for (const std::size_t elements : {std::size_t{1}, std::size_t{100}, std::size_t{100'000}}) {
                std::vector<double> vector(elements, 1.0);
                const auto size = static_cast<std::size_t>(members);
                std::vector<double> all(elements * size);
                counts_locks = true;
                me.allreduce(vector, sum);
                for (int root = 0; root < members; ++root) {
                    me.broadcast(vector, root);
                }
                me.allgather(vector, all);
                me.scan(vector, sum);
                me.barrier();
                counts_locks = false;
                CHECK(vector.front() == members * (rank + 1.0));
                CHECK(all.back() == members);
            }
        };
        std::vector<std::thread> others;
        for (int rank = 1; rank < members; ++rank) {
            others.emplace_back(work, rank);
        }
        work(0);
        for (std::thread& other : others) {
            other.join();
        }
    }
    CHECK(locks.load() == 0);
}
