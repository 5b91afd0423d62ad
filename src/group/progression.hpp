#pragma once

#include <tutti/version.hpp>

#include <compare>
#include <optional>

namespace tutti::engine {

/// Ranks of a group at equal distances: first, first + stride, ... of `count` members.
struct Progression {
    int count = 1;
    int first = 0;
    int stride = 1;

    int rank(int position) const { return first + position * stride; }
    /// Nothing if `rank` is none of them.
    std::optional<int> position_of(int rank) const {
        const int distance = rank - first;
        return distance >= 0 && distance % stride == 0 && distance / stride < count
                   ? std::optional(distance / stride)
                   : std::nullopt;
    }

    auto operator<=>(const Progression&) const = default;
};

} // namespace tutti::engine
