// A flow graph whose nodes arrive for the 64 ranks of an async group, on two threads. No thread is blocked: a
// node that waits for the sums over all ranks is suspended, and 63 are before the last rank arrives.

#include <tutti/async_group.hpp>
#include <tutti/tbb.hpp>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>

namespace {

constexpr int ranks = 64;
constexpr int rounds = 8;

using Histogram = std::array<long, 16>;

struct Part {
    int rank;
    int round;
    Histogram counts;
};

using Message = std::shared_ptr<Part>;

} // namespace

int main() {
    tutti::AsyncGroup meeting(ranks);
    std::atomic<int> right = 0;
    tbb::task_arena arena(2);
    arena.execute([&] {
        namespace flow = tbb::flow;
        flow::graph graph;
        // The findings of a rank in this round.
        flow::function_node<Message, Message> count(graph, flow::unlimited, [](const Message& part) {
            for (std::size_t i = 0; i < 1000; ++i) {
                ++part->counts[(i * static_cast<std::size_t>(part->rank + 1)) % part->counts.size()];
            }
            return part;
        });
        // Adds up what all ranks have found.
        flow::function_node<Message, Message> combine(graph, flow::unlimited, [&](const Message& part) {
            tutti::tbb_wait(meeting.at(part->rank).allreduce(part->counts, tutti::sum));
            return part;
        });
        // Checks it, and lets the rank go on to the next round.
        flow::function_node<Message, flow::continue_msg> check(
            graph, flow::unlimited, [&](const Message& part) {
                long all = 0;
                for (const long each : part->counts) {
                    all += each;
                }
                right += all == 1000L * ranks ? 1 : 0;
                if (part->round + 1 < rounds) {
                    count.try_put(std::make_shared<Part>(Part{part->rank, part->round + 1, {}}));
                }
            });
        flow::make_edge(count, combine);
        flow::make_edge(combine, check);
        for (int rank = 0; rank < ranks; ++rank) {
            count.try_put(std::make_shared<Part>(Part{rank, 0, {}}));
        }
        graph.wait_for_all();
    });
    std::printf("%d of %d sums are right\n", right.load(), ranks * rounds);
    return right == ranks * rounds ? 0 : 1;
}
