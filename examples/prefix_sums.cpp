// Packs what every member selects into one array without gaps: an exclusive scan of the numbers of selected
// elements tells each member where its part starts (the prefix sums of Grama et al. 2003, Alg. 4.9).

#include <tutti/tutti.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr int members = 5;
constexpr int candidates = 1000; // of each member

bool is_selected(int number) {
    return number % 7 == 3;
}

} // namespace

int main() {
    std::vector<int> packed(members * candidates, -1);
    std::size_t total = 0;
    tutti::Team team(members);
    team.run([&](tutti::Member& me) {
        std::vector<int> selected;
        for (int i = 0; i < candidates; ++i) {
            const int number = me.rank() * candidates + i;
            if (is_selected(number)) {
                selected.push_back(number);
            }
        }
        std::size_t first = me.exscan(selected.size(), tutti::sum); // 0 on member 0
        for (const int number : selected) {
            packed[first++] = number;
        }
        const std::size_t end = me.broadcast(first, me.size() - 1); // where the last one ends
        if (me.rank() == 0) {
            total = end;
        }
    });

    std::size_t at = 0;
    for (int number = 0; number < members * candidates; ++number) {
        if (is_selected(number) && packed[at++] != number) {
            std::printf("element %zu is wrong\n", at - 1);
            return 1;
        }
    }
    std::printf("%zu of %d elements packed by %d members\n", total, members * candidates, members);
    return at == total ? 0 : 1;
}
