// A program outside the tree: four members add their ranks.
#include <tutti/tutti.hpp>

#include <cstdio>
#include <vector>

int main() {
    tutti::Team team({.members = 4});
    std::vector<int> wrong(4, 1);
    team.run([&](tutti::Member& member) {
        std::vector<int> values(1000, member.rank());
        member.allreduce(values, tutti::sum);
        int differing = 0;
        for (int value : values) {
            differing += value != 0 + 1 + 2 + 3;
        }
        wrong[static_cast<std::size_t>(member.rank())] = differing;
    });
    std::printf("tutti %s, wrong elements: %d %d %d %d\n", TUTTI_VERSION_STRING, wrong[0], wrong[1], wrong[2],
                wrong[3]);
    return wrong == std::vector<int>(4, 0) ? 0 : 1;
}
