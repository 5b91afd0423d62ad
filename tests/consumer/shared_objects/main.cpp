// Members that call from two shared objects agree on an operator that both have compiled, and differ where it
// is another one; what the library throws is caught by its type.

#include "part.hpp"

#include <cstdio>

namespace {

/// How often member 1 got something else than the farthest of the members' numbers.
int wrong(tutti::Team& team) {
    int differing = 0;
    team.run([&](tutti::Member& me) {
        for (const std::size_t size : {1U, 30U, 1000U}) {
            std::vector<double> values(size, -1.0 - me.rank());
            (me.rank() % 2 == 0 ? even : odd)(me, values, true);
            if (me.rank() == 1) {
                for (const double value : values) {
                    differing += value != -2.0;
                }
            }
        }
    });
    return differing;
}

bool notices_different_operators(tutti::Team& team) {
    try {
        team.run([](tutti::Member& me) {
            std::vector<double> values(1000, 1.0);
            (me.rank() % 2 == 0 ? even : odd)(me, values, me.rank() == 0);
        });
    } catch (const tutti::MismatchError&) {
        return true;
    }
    return false;
}

} // namespace

int main() {
    tutti::Team team(2, {.placement = "none"});
    const int differing = wrong(team);
    const bool noticed = notices_different_operators(team);
    std::printf("wrong elements: %d; different operators are %s\n", differing,
                noticed ? "noticed" : "not noticed");
    return differing == 0 && noticed ? 0 : 1;
}
