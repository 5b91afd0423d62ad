#pragma once

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

/// A call as it is known again: without its vectors, but with the lists that it refers to.
class KnownCall {
public:
    KnownCall() = default;
    KnownCall(const KnownCall&) = delete;
    KnownCall& operator=(const KnownCall&) = delete;
    KnownCall(KnownCall&&) = delete;
    KnownCall& operator=(KnownCall&&) = delete;
    ~KnownCall() = default;

    TUTTI_COMPONENT_API void remember(const detail::Call& asked);

    /// Whether that call is the same but for its vectors, how long it may wait and where it is.
    TUTTI_COMPONENT_API bool is(const detail::Call& call) const;

    /// Without its counts, which may be gone, and on the vectors that it was asked for.
    const detail::Call& call() const { return call_; }
    /// Whether blocks are irregular.
    bool has_counts() const { return has_list_.front(); }

private:
    /// What a call refers to besides its vectors: counts and displacements.
    using Lists = std::array<std::optional<std::span<const std::size_t>>, 4>;
    static Lists lists_of(const detail::Call& call);
    bool has_lists_of(const detail::Call& call) const;

    detail::Call call_;
    std::string algorithm_;
    std::array<std::vector<std::size_t>, std::tuple_size_v<Lists>> lists_;
    std::array<bool, std::tuple_size_v<Lists>> has_list_{};
};

} // namespace tutti::engine
