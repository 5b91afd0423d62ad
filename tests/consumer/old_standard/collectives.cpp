// The file in C++20.
#include "collectives.h"

#include <tutti/tutti.hpp>

double sum_of_ranks(int threads) {
    tutti::Team team(threads);
    double result = 0;
    team.run([&](tutti::Member& me) {
        const double sum = me.allreduce(double(me.rank()), tutti::sum);
        if (me.rank() == 0) {
            result = sum;
        }
    });
    return result;
}
