#pragma once

#include "immovable.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/detail/request_base.hpp>
#include <tutti/neighbors.hpp>
#include <tutti/tutti.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::c {

/// A member of a cluster. The component `cmpi` makes its calls, because this one does not depend on MPI.
class ClusterMember : Immovable {
public:
    virtual ~ClusterMember() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual void run(const detail::Call& call) = 0;
    virtual detail::RequestBase& start(const detail::Call& call) = 0;
    virtual detail::PersistentRequestBase& prepare(const detail::Call& call) = 0;
    /// As detail::execute_again().
    virtual bool run_again(std::uint64_t key, const void* input, void* output) = 0;
    virtual detail::CalledFrom& called_from() const = 0;
    virtual void abort(std::string_view text) = 0;
    virtual Neighbors neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                                SourceLine where) = 0;
    virtual Neighbors grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const = 0;
    /// The calling member's membership in the new cluster; null if it is in none.
    virtual std::unique_ptr<ClusterMember> split(std::optional<int> color, int key, SourceLine where) = 0;
    virtual std::unique_ptr<ClusterMember> subset(std::span<const int> ranks, SourceLine where) = 0;
    virtual std::unique_ptr<ClusterMember> dup(SourceLine where) = 0;
};

/// The caller of a member that leaves when the program calls tutti_leave().
TUTTI_COMPONENT_API tutti_caller caller_of(std::unique_ptr<ClusterMember> member);

/// call_as_member() for a member of a cluster.
TUTTI_COMPONENT_API void call_as_member(ClusterMember& member, tutti_member_function function, void* user);

} // namespace tutti::inline TUTTI_NAMESPACE::c
