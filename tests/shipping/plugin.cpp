// A plug-in with a copy of the library: groups of its own, used by the calling thread and by threads of its
// own.

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <array>
#include <span>
#include <thread>

namespace {

int sum_of_team() {
    tutti::Team team(2, {.placement = tutti::Placement::none});
    int sum = 0;
    team.run([&](tutti::Member& me) {
        std::array<int, 100> ones{};
        ones.fill(1);
        me.start.allreduce(std::span(ones), [](int a, int b) { return a + b; }).wait();
        const int all = me.allreduce(ones.front(), tutti::sum);
        if (me.rank() == 0) {
            sum = all;
        }
    });
    return sum;
}

int sum_of_group() {
    tutti::Group group(2);
    std::jthread other([&] { static_cast<void>(group.join(1).allreduce(1, tutti::sum)); });
    return group.join(0).allreduce(1, tutti::sum);
}

int sum_of_ranks() {
    tutti::AsyncGroup ranks(2);
    std::array<int, 2> sums{1, 1};
    tutti::AsyncRequest first = ranks.at(0).allreduce(std::span(&sums[0], 1), tutti::sum);
    tutti::AsyncRequest second = ranks.at(1).allreduce(std::span(&sums[1], 1), tutti::sum);
    tutti::wait_all(first, second);
    return sums[0];
}

} // namespace

extern "C" [[gnu::visibility("default")]] bool use();

bool use() {
    return sum_of_team() == 4 && sum_of_group() == 2 && sum_of_ranks() == 2;
}
