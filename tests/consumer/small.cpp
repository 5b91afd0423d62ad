// A small program outside the tree: two threads add their ranks. WITHOUT_TUTTI is the program that does
// nothing with them.
#ifndef WITHOUT_TUTTI
#include <tutti/tutti.hpp>
#endif

#include <cstdio>
#include <thread>
#include <vector>

int main() {
    std::vector<double> results(2);
    std::vector<std::thread> threads;
#ifndef WITHOUT_TUTTI
    tutti::Group group(2);
#endif
    for (int rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&, rank] {
            std::vector<double> values(100, rank);
#ifndef WITHOUT_TUTTI
            tutti::Member me = group.join(rank);
            me.allreduce(values, tutti::sum);
            me.barrier();
            me.broadcast(values, 1);
#endif
            results[static_cast<std::size_t>(rank)] = values[99];
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::printf("%g %g\n", results[0], results[1]);
#ifndef WITHOUT_TUTTI
    return results == std::vector<double>{1, 1} ? 0 : 1;
#endif
}
