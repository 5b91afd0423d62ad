#pragma once

#include "cache_line.hpp"
#include "mailbox/cell.hpp"
#include "mailbox/tag.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::mailbox {

inline constexpr int words_per_slot = 4;

/// The bytes that travel inside a slot, beside its tags.
inline constexpr std::size_t eager_bytes = words_per_slot * sizeof(std::uint64_t);

/// The bytes that fit into a member's staging buffer: memory beside its slots for messages that are too long
/// for one. A slot of the same set announces such a message. The staging buffer is reused by the same rule as
/// the slot's words.
inline constexpr std::size_t staging_bytes = 4096;

/// Aligned for every element that fits.
struct alignas(staging_bytes) StagingBuffer {
    std::byte bytes[staging_bytes];
};

/// One cache line written by one member and read by any others: up to four words, each beside its tag.
///
/// A slot is never cleared; a later epoch overwrites it. A signal may be overwritten at any time, because
/// readers wait for an epoch or a later one. A word may be overwritten only when its readers are done:
///
/// - addresses: their reader goes on to the buffers, and the owner does not return before that (proved by the
///   verifier)
/// - messages: all members have entered a later operation. If operations do not synchronise, the writer waits
///   for this (Runner::wait_for_slots).
template <class CellType>
class alignas(line_bytes) BasicSlot {
public:
    /// Publishes `count` words (1 to 4; a bare signal is one word that nobody reads) under `tag`.
    /// The first cell goes last: a reader that sees it finds the others there.
    void publish(std::uint64_t tag, const std::uint64_t* words, int count) noexcept {
        for (int i = count - 1; i >= 0; --i) {
            cells_[i].publish(words[i], tag);
        }
    }

    void signal(std::uint64_t tag) noexcept { cells_[0].publish(0, tag); }

    /// The tag of the first cell, with everything its publisher did before made visible.
    std::uint64_t tag() const noexcept { return cells_[0].tag(); }

    /// Whether words 0 to count - 1 of `epoch`, or of a later epoch, are all there.
    bool holds(std::uint64_t epoch, int count) const noexcept {
        for (int i = 0; i < count; ++i) {
            if (!reached(cells_[i].tag(), epoch)) {
                return false;
            }
        }
        return true;
    }

    /// Word `index` of an epoch that the slot holds.
    std::uint64_t word(int index) const noexcept { return cells_[index].word(); }

private:
    CellType cells_[words_per_slot];
};

using Slot = BasicSlot<Cell>;

static_assert(sizeof(Slot) == line_bytes && alignof(Slot) == line_bytes, "a slot is one cache line");

} // namespace tutti::mailbox
