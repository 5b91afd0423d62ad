#pragma once

#include "hybrid/library.hpp"
#include "hybrid/message_plan.hpp"
#include "hybrid/relay.hpp"
#include "hybrid/wire.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tutti::hybrid {

/// What one thread of each process carries collectives with, on a communicator of its own.
class Carrier {
public:
    /// Among so many processes, once its wire is open.
    explicit Carrier(int processes) : wire_(processes) {}

    Wire& wire() { return wire_; }

    /// Carries out one collective among the processes by claim.algorithm, among those that have made the same
    /// claim; or one more of the same call, of another part of its vectors.
    void carry(const Carriage& carriage, const Claim& claim);

private:
    using RelayName = std::pair<std::uint32_t, int>;

    const Relay& relay(const RelayName& name, detail::Kind kind);
    bool is_planned(const RelayName& name, const Carriage& carriage) const;
    void make_plan(const RelayName& name, const Carriage& carriage);
    Bases bases(const Carriage& carriage);
    void follow_plan(const Carriage& carriage);
    void carry_by_library(const Carriage& carriage);

    Wire wire_;
    std::map<RelayName, Relay> relays_;
    MessagePlan plan_;
    /// What the plan is for: the relay, and the layout, whose offsets are kept here.
    RelayName planned_{library_algorithm, 0};
    Layout layout_;
    std::vector<std::size_t> offsets_;
    int scratch_vectors_ = 0;
    std::size_t stride_bytes_ = 0;
    /// The pieces of the message that is next.
    std::vector<Wire::Piece> pieces_;
};

} // namespace tutti::hybrid
