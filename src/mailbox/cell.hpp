#pragma once

#include "announce.hpp"

#include <atomic>
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

} // namespace tutti::mailbox
