// A reduction with an element type and an operator of the program. Member 0 makes it in one object file,
// member 1 in another.

#include <tutti/tutti.hpp>

#include <cstdio>

struct Sum {
    double value = 0;
};

struct Add {
    Sum operator()(Sum a, Sum b) const { return {a.value + b.value}; }
};

namespace {

double sum_of_ranks(tutti::Member& me) {
    Sum rank{static_cast<double>(me.rank())};
    rank = me.allreduce(rank, Add{});
    return rank.value;
}

} // namespace

#if defined(SECOND)
double second(tutti::Member& me) {
    return sum_of_ranks(me);
}
#else
double second(tutti::Member& me);

int main() {
    tutti::Team team({.members = 2, .placement = "none"});
    try {
        team.run([](tutti::Member& me) {
            const double sum = me.rank() == 0 ? sum_of_ranks(me) : second(me);
            if (me.rank() == 0) {
                std::printf("%g\n", sum);
            }
        });
    } catch (const tutti::MismatchError&) {
        std::puts("mismatch");
    }
}
#endif
