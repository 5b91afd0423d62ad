#pragma once

#include "hybrid/src/cluster_call.hpp"
#include "hybrid/src/schedule/segment.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

/// A part of the vectors of a call that can be cut: put straight from the members' vectors, made a call of
/// the processes, and stored straight to them.
class CallSegment {
public:
    explicit CallSegment(ClusterCall& call) : call_(call) {}

    /// From here on it is part `index` of `count`.
    void cut(std::size_t index, std::size_t count) { segment_.cut(call_.process_offsets(), index, count); }

    std::size_t elements() const { return segment_.elements(); }
    /// The start in the staging buffer, which has all parts one after the other.
    std::size_t start_bytes() const { return call_.bytes(segment_.start()); }
    template <class Visit>
    void for_each_range(Visit visit) const {
        segment_.for_each_range(0, segment_.elements(), visit);
    }

    /// Puts share `index` of `shares` of the data that this process sends from the members' vectors to `to`,
    /// where the part starts. A broadcast puts nothing: see root_vector().
    void put(std::byte* to, std::size_t index, std::size_t shares);

    /// The whole vector of the root of a broadcast, if that is a member of this process, else `other`.
    std::byte* root_vector(std::byte* other) const;

    /// The part as a vector of its own.
    hybrid::ProcessCall process_call(std::byte* input, std::byte* output) const;

    /// Stores a member's share of the part, which lies at `from`, into its vector.
    void store(int member, const std::byte* from) const;

private:
    std::pair<std::size_t, std::size_t> own_range() const;
    void combine(std::byte* to, std::size_t first, std::size_t elements);
    void gather(std::byte* to, std::size_t first, std::size_t elements) const;

    ClusterCall& call_;
    hybrid::Segment segment_;
    std::vector<const void*> ins_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
