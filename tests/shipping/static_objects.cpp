// A program whose groups are static objects. They work before main(), in main(), and in the destructors of
// static objects that were constructed after them.

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

tutti::Team team(2, {.placement = "none"});
tutti::Group group(2);
tutti::AsyncGroup ranks(2);

bool all_work() {
    std::array<int, 2> sums{};
    team.run([&](tutti::Member& me) {
        sums.at(static_cast<std::size_t>(me.rank())) = me.allreduce(1, tutti::sum);
    });
    int grouped = 0;
    {
        std::jthread other([] { group.join(1).barrier(); });
        tutti::Member me = group.join(0);
        me.barrier();
        grouped = me.rank() + 2;
    }
    tutti::AsyncRequest first = ranks.at(0).barrier();
    ranks.at(1).barrier().wait();
    first.wait();
    return sums == std::array<int, 2>{2, 2} && grouped == 2;
}

const bool worked_before_main = all_work();

struct Last {
    Last() = default;
    ~Last() {
        if (!all_work()) {
            std::_Exit(3);
        }
        std::puts("after main");
    }
    Last(const Last&) = delete;
    Last& operator=(const Last&) = delete;
    Last(Last&&) = delete;
    Last& operator=(Last&&) = delete;
};
const Last last;

} // namespace

int main() {
    if (!worked_before_main) {
        return 1;
    }
    return all_work() ? 0 : 2;
}
