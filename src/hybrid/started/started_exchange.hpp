#pragma once

#include "hybrid/call_segment.hpp"

#include <cstddef>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

/// What a leader does in an operation for all members of its process, while these do something else: it puts
/// together what goes to other processes, and stores what comes where each member wants it.
class StartedExchange {
public:
    explicit StartedExchange(ClusterCall& call) : call_(call), segment_(call) {}

    /// From the vectors that all members have shown. Returns the call to be made among the processes.
    hybrid::ProcessCall put();
    /// After that call.
    void store();

private:
    void put_together(std::byte* to);
    void store_prefixes();
    void combine_up_to(int members, void* result);

    ClusterCall& call_;
    /// The whole call.
    CallSegment segment_;
    /// Whether the result comes where the only member wants it.
    bool has_landed_ = false;
    std::vector<const void*> ins_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
