#pragma once

#include "execute/seat.hpp"
#include "hybrid/library.hpp"
#include "hybrid/relay.hpp"
#include "hybrid/wire.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace tutti::hybrid {

/// What one thread of each process carries collectives with, on a communicator of its own.
class Carrier {
public:
    /// Duplicates `parent`. Collective.
    explicit Carrier(MPI_Comm parent) : wire_(parent) {}

    Wire& wire() { return wire_; }

    /// Carries out one collective among the processes by claim.algorithm, once all have made the same claim.
    /// Short ones have the claims in their messages; for others an exchange of claims comes first, unless
    /// all have `agreed` before: on the segments of one call.
    void carry(const Carriage& carriage, const Claim& claim, bool agreed = false);

private:
    const Relay& relay(const Claim& claim, int root);

    Wire wire_;
    std::map<std::pair<std::uint32_t, int>, Relay> relays_;
    execute::Memory scratch_;
    execute::Memory landing_;
};

/// Whether the messages of such a vector carry the claims themselves.
bool is_short(std::size_t total_bytes, std::size_t most_places);

} // namespace tutti::hybrid
