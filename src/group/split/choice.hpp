#pragma once

#include "machine/machine.hpp"

#include <tutti/detail/export.hpp>
#include <tutti/version.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE {
enum class Level : std::uint8_t;
}

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// A member's arguments of a split.
struct Choice {
    std::optional<int> color;
    int key = 0;
    /// The digest of the list of ranks that it has given: 0, which is no digest, if it has given none.
    std::uint64_t list_digest = 0;
    std::uint64_t list_size = 0;
    bool duplicates = false;
    /// The level by which it splits; none if by colors.
    std::optional<Level> level = {};

    bool agrees_with(const Choice& other) const {
        return list_digest == other.list_digest && list_size == other.list_size &&
               duplicates == other.duplicates && level == other.level;
    }
    /// The function that the member has called.
    const char* function() const { return list_digest != 0 ? "subset" : duplicates ? "dup" : "split"; }
};

} // namespace tutti::inline TUTTI_NAMESPACE::detail

namespace tutti::engine {

/// The choice in a split. Throws ArgumentError.
TUTTI_COMPONENT_API detail::Choice choice_of(std::optional<int> color, int key);
/// The choice in a subset, by the member with the rank `rank` of `members`. Throws ArgumentError.
TUTTI_COMPONENT_API detail::Choice choice_of(std::span<const int> ranks, int rank, int members);

/// The ranks that chose `color`, in the order of the new group; none without a color.
TUTTI_COMPONENT_API std::vector<int> mates_of(std::optional<int> color,
                                              const std::vector<detail::Choice>& choices);

/// The text if members split the group by different lists, or some by none; else empty.
TUTTI_COMPONENT_API std::optional<std::string> difference(const std::vector<detail::Choice>& choices);

struct PartOfMachine {
    const char* name;
    int machine::Pu::*number;
};
/// Throws ArgumentError if `level` is none.
PartOfMachine part_of_machine(Level level);

} // namespace tutti::engine
