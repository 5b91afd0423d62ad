#pragma once

#include <tutti/collective.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace tutti::engine {

/// An algorithm that follows the levels of a machine, for calls whose buffers have so many bytes or more.
struct LevelChoice {
    Collective collective;
    std::size_t from_bytes;
    /// Empty: the built-in choice for members that are near each other is faster.
    std::string_view row;
};

/// By collective, and ascending by bytes.
std::span<const LevelChoice> level_choices();

} // namespace tutti::engine
