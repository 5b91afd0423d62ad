#pragma once

#include "hybrid/library.hpp"
#include "hybrid/relay.hpp"
#include "hybrid/runner.hpp"
#include "hybrid/wire.hpp"

#include <cstdint>
#include <map>
#include <utility>

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

    const Relay& relay(const Claim& claim, int root);
    void carry_by_library(const Carriage& carriage);

    Wire wire_;
    Runner runner_{wire_};
    std::map<RelayName, Relay> relays_;
    RelayName last_name_;
    const Relay* last_relay_ = nullptr;
};

} // namespace tutti::hybrid
