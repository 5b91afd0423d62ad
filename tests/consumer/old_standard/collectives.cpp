// The file in C++20: its functions have no Tutti in their declarations.
#include "collectives.h"

#include <tutti/tutti.hpp>

struct Ranks::State {
    explicit State(int threads) : group(threads) {}
    tutti::Group group;
};

Ranks::Ranks(int threads) : state_(new State(threads)) {}
Ranks::~Ranks() {
    delete state_;
}

double Ranks::sum(int rank, double value) {
    return state_->group.join(rank).allreduce(value, tutti::sum);
}
