// A small program outside the tree: two threads add their ranks.
#include <tutti/tutti.hpp>

#include <thread>
#include <vector>

int main() {
    std::vector<double> results(2);
    tutti::Group group(2);
    const auto add = [&](int rank) {
        std::vector<double> values(100, rank);
        tutti::Member me = group.join(rank);
        me.allreduce(values, tutti::sum);
        me.barrier();
        me.broadcast(values, 1);
        results[static_cast<std::size_t>(rank)] = values[99];
    };
    std::thread other(add, 1);
    add(0);
    other.join();
    return results == std::vector<double>{1, 1} ? 0 : 1;
}
