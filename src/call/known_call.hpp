#pragma once

#include "call/arguments.hpp"
#include "call/repeated_call.hpp"
#include "immovable.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tutti::engine {

/// A call that has been checked, without its vectors but with the lists that it refers to; and how another
/// one is recognised that is the same except for its vectors, how long it may wait and where it is.
class KnownCall : Immovable {
public:
    /// It is now this call, whose arguments amount to `shape`. It serves no call before it is complete.
    TUTTI_COMPONENT_API void remember(const detail::Call& asked, const Shape& shape);
    TUTTI_COMPONENT_API void complete();
    void forget() {
        repeated_.forget();
        is_complete_ = false;
    }

    /// Whether a call with this key, or any call, is the same on vectors with the same places relative to
    /// each other. The key decides at once, but does not cover every call.
    bool serves(std::uint64_t key, const void* input, const void* output) const {
        return repeated_.serves(key, input, output);
    }
    TUTTI_COMPONENT_API bool serves(const detail::Call& call) const;
    /// Throws ArgumentError unless the buffers of `other` can replace those with which the call was
    /// remembered. Looks only at the buffers of `other`.
    TUTTI_COMPONENT_API void require_like(const detail::Call& other) const;

    /// Without its counts and graph, which may be gone, and on the vectors of the first call.
    const detail::Call& call() const { return call_; }
    const Shape& shape() const { return shape_; }
    /// How the caller's vectors overlap, as far as the caller sees.
    Aliasing aliasing() const { return aliasing_; }

private:
    bool is(const detail::Call& call) const;

    /// The lists to which a call refers besides its vectors: counts and displacements.
    using Lists = std::array<std::optional<std::span<const std::size_t>>, 4>;
    static Lists lists_of(const detail::Call& call);
    bool has_lists_of(const detail::Call& call) const;

    RepeatedCall repeated_;
    bool is_complete_ = false;
    Aliasing aliasing_ = Aliasing::separate;
    Shape shape_;
    detail::Call call_;
    std::string algorithm_;
    /// The digest of its graph; 0 if it has none.
    std::uint64_t graph_ = 0;
    std::array<std::vector<std::size_t>, std::tuple_size_v<Lists>> lists_;
    std::array<bool, std::tuple_size_v<Lists>> has_list_{};
};

} // namespace tutti::engine
