#pragma once

#include "announce.hpp"
#include "cache_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && !defined(TUTTI_THREAD_SANITIZER)
#define TUTTI_WIDE_CELLS 1
#include <emmintrin.h>
#endif

namespace tutti::mailbox {

/// A word shared between one writer and its readers, in the four ways in which the mailbox touches it. The
/// mailbox is written against this interface so that a model checker can put its own word underneath.
class StdWord {
public:
    /// Release: makes everything the writer did before visible to a reader that observes the value.
    void publish(std::uint64_t value) noexcept {
        announce_release(this);
        value_.store(value, std::memory_order_release);
    }

    /// Acquire: pairs with publish. No 0 hands over memory, so that a look at whether all is well costs
    /// nothing more.
    [[gnu::always_inline]] std::uint64_t observe() const noexcept {
        const std::uint64_t value = value_.load(std::memory_order_acquire);
        if (value != 0) {
            announce_acquire(this);
        }
        return value;
    }

    /// Relaxed: ordered by a publish and an observe of another word.
    void put(std::uint64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
    std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// A word and the tag of the epoch to which it belongs, in portable C++: the word first, then its tag.
template <class Word>
class PortableCell {
public:
    void publish(std::uint64_t word, std::uint64_t tag) noexcept {
        word_.put(word);
        tag_.publish(tag); // release: pairs with tag(); makes the word visible
    }

    /// Acquire: pairs with the release in publish.
    std::uint64_t tag() const noexcept { return tag_.observe(); }

    /// The word that belongs to the tag last returned by tag(). The writer does not overwrite it before it
    /// knows that its readers are done (see the mailbox's reuse rule).
    std::uint64_t word() const noexcept { return word_.get(); }

    /// The word that holds the tag.
    const Word& tag_word() const noexcept { return tag_; }

private:
    Word word_;
    Word tag_;
};

#if defined(TUTTI_WIDE_CELLS)
/// Whether cells are written in one store. Intel and AMD guarantee that an aligned store of 16 bytes is whole
/// on processors with AVX. The check runs before main(); until then it is false, which is right everywhere.
/// Tests set it to false, before they start a thread.
extern bool stores_are_wide;

/// The same as one 16-byte store, if that is whole. With two stores, a reader that spins on the cache line
/// can take it away in between, and the writer has to fetch it back. Readers do the same for both.
class WideCell {
public:
    void publish(std::uint64_t word, std::uint64_t tag) noexcept {
        if (!stores_are_wide) [[unlikely]] {
            return cell_.publish(word, tag);
        }
        const __m128i both = _mm_set_epi64x(static_cast<long long>(tag), static_cast<long long>(word));
        // Release: stores are not reordered with earlier loads and stores on x86, and the clobber keeps the
        // compiler from doing so. Pairs with the acquire in tag().
        announce_release(&cell_.tag_word());
        asm volatile("movdqa %1, %0" : "=m"(*this) : "x"(both) : "memory");
    }

    /// Acquire: pairs with the store in publish.
    std::uint64_t tag() const noexcept { return cell_.tag(); }

    std::uint64_t word() const noexcept { return cell_.word(); }

private:
    alignas(16) PortableCell<StdWord> cell_;
};
using Cell = WideCell;
#else
using Cell = PortableCell<StdWord>;
#endif

/// A tag labels everything that a member publishes: an epoch, which only grows, above a fingerprint of the
/// publisher's call, by which members in different calls are detected.
inline constexpr int fingerprint_bits = 20;
inline constexpr std::uint64_t fingerprint_mask = (std::uint64_t{1} << fingerprint_bits) - 1;

/// The largest distance in epochs, in bits, between a member and one that still waits for it. In operations
/// that do not synchronise, members in a chain drift apart by one operation per member between them.
inline constexpr int epoch_window_bits = 24;

constexpr std::uint64_t make_tag(std::uint64_t epoch, std::uint64_t fingerprint) {
    return (epoch << fingerprint_bits) | fingerprint;
}

/// Whether a slot tagged `seen` has reached `epoch` or a later one. A slot is never ahead by more than the
/// window. Any other tag is therefore old, whatever the epochs (44 bits) have done since. At 36 million
/// points a second epochs wrap around in 5.6 days. A slot that nobody has used since then looks as if it had
/// reached the epoch with a probability of 2^-20, the window's share of all epochs.
constexpr bool reached(std::uint64_t seen, std::uint64_t epoch) {
    return (seen | fingerprint_mask) - (epoch << fingerprint_bits) <
           std::uint64_t{1} << (fingerprint_bits + epoch_window_bits);
}

/// Whether `seen` belongs to exactly `epoch`.
constexpr bool is_of(std::uint64_t seen, std::uint64_t epoch) {
    return ((seen ^ (epoch << fingerprint_bits)) & ~fingerprint_mask) == 0;
}

constexpr std::uint64_t fingerprint_of(std::uint64_t tag) {
    return tag & fingerprint_mask;
}

inline constexpr int words_per_slot = 4;

/// The bytes that travel inside a slot, beside its tags.
inline constexpr std::size_t eager_bytes = words_per_slot * sizeof(std::uint64_t);

/// The bytes that fit into a member's staging buffer: memory beside its slots for messages that are too long
/// for one. A slot of the same set announces such a message. The staging buffer is reused by the same rule as
/// the slot's words.
inline constexpr std::size_t staging_bytes = 8192;

/// Aligned as pages are, of which each has the memory of one NUMA node.
struct alignas(4096) StagingBuffer {
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
