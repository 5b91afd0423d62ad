#pragma once

#include "std.hpp"

namespace tutti::test {

/// Calls function(rank) on a thread of its own for each rank, and returns when all of them have returned.
template <class Function>
void on_threads(int ranks, const Function& function) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&function, rank] { function(rank); });
    }
}

} // namespace tutti::test
