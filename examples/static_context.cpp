// A program whose functions get no context as a parameter: static functions that find the member of the
// calling thread in a thread_local pointer. Its own threads are detached, serve until the process ends, and
// are waiting for work when it does.

#include <tutti/tutti.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

class Parallel {
public:
    using Work = void (*)();

    /// By the main thread, once.
    static void start(int threads) {
        tutti::Group group(threads); // members keep it alive
        for (int rank = 1; rank < threads; ++rank) {
            std::thread([group, rank]() mutable {
                try {
                    group.run(rank, serve); // passes what the work throws on to the other members
                } catch (...) {             // the main thread has got it: its call throws
                }
            }).detach();
        }
        static tutti::Member main_member = group.join(0);
        me = &main_member;
    }

    /// All threads do the work. By the main thread.
    static void run(Work work) { me->broadcast(work, 0)(); }

    // In the work, by any thread:
    static int rank() { return me->rank(); }
    static int threads() { return me->size(); }
    static double sum(double value) { return me->allreduce(value, tutti::sum); }

private:
    [[noreturn]] static void serve(tutti::Member& own) {
        me = &own;
        for (;;) {
            me->broadcast(Work{}, 0)();
        }
    }

    static thread_local tutti::Member* me;
};

thread_local tutti::Member* Parallel::me = nullptr;

// The program knows nothing of Tutti from here on.

double result = 0;

void add_up() {
    double sum = 0;
    for (int i = 1 + Parallel::rank(); i <= 100'000; i += Parallel::threads()) {
        sum += 1.0 / i / i;
    }
    sum = Parallel::sum(sum);
    if (Parallel::rank() == 0) {
        result = std::sqrt(6 * sum);
    }
}

} // namespace

int main() {
    Parallel::start(3);
    for (int i = 0; i < 10; ++i) {
        Parallel::run(add_up);
    }
    std::printf("%.4f\n", result);
    return std::abs(result - 3.1416) < 1e-4 ? EXIT_SUCCESS : EXIT_FAILURE; // the threads wait in a broadcast
}
