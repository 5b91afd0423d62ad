// Threads that arrive and wait take no lock. Two of them wait for it in the kernel, which takes longer than
// all else; one that spins never enters it.

#include "tests/counted_locks.hpp"

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <thread>

TEST_CASE("two threads that arrive and wait take no lock") {
    constexpr int times = 1000;
    tutti::AsyncGroup group(2);
    std::array<double, 2> results{};
    const auto arrive = [&](int rank) {
        tutti::AsyncRank me = group.at(rank);
        double& result = results[static_cast<std::size_t>(rank)];
        for (int call = 0; call < 2 * times; ++call) {
            counts_locks = call >= times; // the first ones prepare
            const std::array<double, 1> in{1.0};
            me.allreduce(in, std::span(&result, 1), tutti::sum).wait();
        }
        counts_locks = false;
    };
    std::thread other(arrive, 1);
    arrive(0);
    other.join();
    CHECK(results[0] == 2.0);
    CHECK(results[1] == 2.0);
    CHECK(locks == 0);
}
