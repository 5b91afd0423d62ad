#pragma once

#include "hybrid/algorithms.hpp"
#include "hybrid/library.hpp"
#include "hybrid/message_plan.hpp"
#include "hybrid/relay.hpp"
#include "hybrid/wire.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tutti::hybrid {

/// What one thread of each process makes calls of the processes with, on a communicator of its own.
class Transport {
public:
    /// Among so many processes, once its wire is open.
    explicit Transport(int processes) : wire_(processes) {}

    Wire& wire() { return wire_; }

    /// Makes a call among the processes, as part of the call of the cluster that the wire has begun.
    void perform(const ProcessCall& call);

private:
    using RelayName = std::pair<std::uint32_t, int>;

    const Relay& relay(const RelayName& name, Collective collective);
    bool is_planned(const RelayName& name, const ProcessCall& call) const;
    void make_plan(const RelayName& name, const ProcessCall& call);
    void set_rooms(std::size_t scratch_vectors, const ProcessCall& call);
    void follow_plan(const ProcessCall& call);
    void perform_by_library(const ProcessCall& call);

    Wire wire_;
    std::map<RelayName, Relay> relays_;
    MessagePlan plan_;
    /// What the plan is for: the relay, and the layout, whose offsets are kept here.
    RelayName planned_{library_algorithm, 0};
    Layout layout_;
    std::vector<std::size_t> offsets_;
    /// But for the vectors.
    Bases bases_{};
    /// The pieces of the message that is next.
    std::vector<Wire::Piece> pieces_;
};

} // namespace tutti::hybrid
