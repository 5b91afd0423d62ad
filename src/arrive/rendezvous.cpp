#include "arrive/rendezvous_state.hpp"
#include "plan/plan.hpp"

#include <tutti/error.hpp>
#include <tutti/rendezvous.hpp>

#include <string>

namespace tutti {

Rendezvous::Rendezvous(int ranks, const RendezvousOptions& options) {
    if (ranks < 1 || ranks > plan::most_members) {
        throw ArgumentError("Rendezvous: `ranks` is " + std::to_string(ranks) + ", must be in 1.." +
                            std::to_string(plan::most_members));
    }
    state_ = std::make_shared<detail::RendezvousState>(ranks, options);
    state_->begin();
}

Rendezvous::~Rendezvous() {
    state_->close();
}

int Rendezvous::size() const {
    return state_->ranks();
}

std::string Rendezvous::roll_call(RollCallFormat format) const {
    return state_->roll_call(format);
}

Arriving Rendezvous::at(int rank) {
    if (rank < 0 || rank >= size()) {
        throw ArgumentError("Rendezvous: `rank` is " + std::to_string(rank) + ", must be in 0.." +
                            std::to_string(size() - 1));
    }
    return {*state_, rank, size()};
}

namespace detail {

RequestBase& arrive(RendezvousState& state, int rank, const Call& call) {
    return state.arrive(rank, call);
}

} // namespace detail

} // namespace tutti
