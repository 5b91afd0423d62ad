#pragma once

#include "run/private_layout.hpp"
#include "schedule/schedule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::run {

/// The start of a member's vectors, each as if it were whole: the output of a reduce-scatter starts where
/// block 0 would be. Addresses, not pointers, since those places need not exist.
struct Bases {
    std::array<std::uintptr_t, schedule::space_count> at{};

    std::uintptr_t operator[](schedule::Space space) const { return at[static_cast<std::size_t>(space)]; }
    std::uintptr_t& operator[](schedule::Space space) { return at[static_cast<std::size_t>(space)]; }
};

/// An exchange needs no scratch. In its place a member shows where its blocks are.
inline const PrivateLayout& layout_of(const Bases& bases) {
    return *reinterpret_cast<const PrivateLayout*>( // NOLINT(performance-no-int-to-ptr)
        bases[schedule::Space::scratch0]);
}
inline void set_layout(Bases& bases, const PrivateLayout& layout) {
    bases[schedule::Space::scratch0] = reinterpret_cast<std::uintptr_t>(&layout);
}

/// Scratch vectors lie one after the other, `stride_bytes` apart.
inline void set_scratch_bases(Bases& bases, std::uintptr_t first, std::size_t stride_bytes) {
    for (auto space = static_cast<std::size_t>(schedule::Space::scratch0); space < bases.at.size(); ++space) {
        bases.at[space] = first;
        first += stride_bytes;
    }
}

} // namespace tutti::run
