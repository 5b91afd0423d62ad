#pragma once

#include "choose/select.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

/// The static choice of algorithms: it has the first word, and the trials of groups the last.
namespace tutti::engine {

/// The default rows of a collective: for eager messages, for short ones that are not eager, and for longer
/// ones, which members fetch (pulled), or which the owner of a block stores for all (pushed).
///
/// Lines that a member stores into another's cache have to come from there first, so short messages are
/// pulled. If long ones are pushed, every block is read once (StorePolicy::pushes). In reductions each member
/// does its part for all; but a short reduction is left to the root, which saves the others their wait.
struct Defaults {
    std::size_t eager;
    std::size_t brief;
    std::size_t pulled;
    std::size_t pushed;
    /// For two members, if they differ.
    std::size_t of_two;
    /// Has been the fastest on some machine.
    std::size_t other;
    /// For blocks of which only senders and receivers know, if the collective has such blocks.
    std::size_t one_hop = 0;
};

const Defaults& defaults(Collective collective);

/// The choice for members that are few, or near each other.
Selection built_in_selection(Collective collective, const detail::Call& call, const Selection::Input& size);

/// An algorithm that follows the levels of a machine, for calls whose buffers have so many bytes or more.
struct LevelChoice {
    Collective collective;
    std::size_t from_bytes;
    /// Empty: the built-in choice for members that are near each other is faster.
    std::string_view row;
};

/// By collective, and ascending by bytes.
std::span<const LevelChoice> level_choices();

/// The algorithm that follows the levels of the machine, if members with a CPU each are many or in several L3
/// caches, and such an algorithm is faster (level_choices.cpp).
std::optional<Selection> level_selection(const detail::Call& call, const Selection::Input& size,
                                         const Selection& built_in);

/// The row in the protocol in which it serves a call for which the built-in choice is known; nothing if it
/// gives other bits, or first copies an input that the built-in choice need not copy.
std::optional<Selection> usable(std::size_t row, const detail::Call& call, const Selection::Input& size,
                                const Selection& built_in, Reason reason, Stores stores = Stores::by_policy);

} // namespace tutti::engine
