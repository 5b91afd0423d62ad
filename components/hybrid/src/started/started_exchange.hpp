#pragma once

#include "hybrid/src/blocks/block_exchange.hpp"
#include "hybrid/src/call_segment.hpp"

#include <cstddef>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

/// What a leader does in an operation for all members of its process, while these do something else: it puts
/// together what goes to other processes, and stores what comes where each member wants it.
class StartedExchange {
public:
    explicit StartedExchange(ClusterCall& call)
        : call_(call), segment_(call), blocks_(call, 0, call.members()) {}

    /// Begins it, from the vectors that all members have shown.
    void begin();
    /// Goes on as far as that goes without waiting. Returns whether it is complete. Where MPI calls may be
    /// made.
    bool advance() { return call_.sends_blocks() ? blocks_.advance() : call_.transport().advance(); }
    /// After that.
    void store();

private:
    void put_blocks();
    hybrid::ProcessCall put();
    void put_together(std::byte* to);
    void store_prefixes();
    void combine_up_to(int members, void* result);

    ClusterCall& call_;
    /// The whole call.
    CallSegment segment_;
    /// Of a call that sends blocks.
    BlockExchange blocks_;
    /// Whether the result comes where the only member wants it.
    bool has_landed_ = false;
    std::vector<const void*> ins_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
