// A program whose groups are static objects. They work before main(), in main(), and in the destructors of
// static objects that were constructed after them.

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

tutti::Team team(2, {.placement = tutti::Placement::none});
tutti::Group group(2);
tutti::AsyncGroup ranks(2);

bool all_work() {
    std::array<int, 2> sums{};
    team.run([&](tutti::Member& me) {
        sums.at(static_cast<std::size_t>(me.rank())) = me.allreduce(1, tutti::sum);
    });
    {
        std::jthread other([] { group.join(1).barrier(); });
        group.join(0).barrier();
    }
    tutti::AsyncRequest first = ranks.at(0).barrier();
    ranks.at(1).barrier().wait();
    first.wait();
    return sums == std::array<int, 2>{2, 2};
}

const bool worked_before_main = all_work();

struct Last {
    ~Last() {
        if (!all_work()) {
            std::_Exit(3);
        }
        std::puts("after main");
    }
};
const Last last;

} // namespace

int main() {
    return worked_before_main && all_work() ? 0 : 1;
}
