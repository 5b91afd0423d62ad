#include "part.hpp"

void PART(tutti::Member& me, std::vector<double>& values, bool farthest) {
    if (farthest) {
        me.allreduce(values, Farthest{});
    } else {
        me.allreduce(values, Nearest{});
    }
}
