// Every member of a team says hello to all others, and one of them says what it has heard.

#include <tutti/tutti.hpp>

#include <cstdio>
#include <vector>

int main() {
    tutti::Team team(4); // threads of its own
    bool is_right = false;
    team.run([&](tutti::Member& me) {
        std::vector<int> ranks(static_cast<std::size_t>(me.size()));
        me.allgather(me.rank(), ranks);                      // everybody's, in order
        const int sum = me.allreduce(me.rank(), tutti::sum); // one object: by value
        const int next = me.shift(me.rank(), -1);            // from the member after this one
        const bool all =
            me.allreduce(sum == 6 && next == (me.rank() + 1) % me.size() && ranks[2] == 2, tutti::land);
        if (me.rank() == 0) {
            for (const int rank : ranks) {
                std::printf("hello from member %d of %d\n", rank, me.size());
            }
            std::printf("their ranks add up to %d\n", sum);
            is_right = all;
        }
    });
    return is_right ? 0 : 1;
}
