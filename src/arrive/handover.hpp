#pragma once

#include "atomic.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::arrive {

// What ranks that arrive share, over words of their own, so that a model checker can put its words
// underneath.

/// A count that several threads change, one of which learns that it was the last.
class StdCount {
public:
    /// Relaxed: who shows the operation to others does so by a release of another word.
    void set(std::size_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
    /// Relaxed: by who counts already.
    void add(std::size_t value) noexcept { value_.fetch_add(value, std::memory_order_relaxed); }

    /// What is added to a count that has been closed.
    static constexpr std::size_t closed = ~(~std::size_t{0} >> 1U);

    /// Closes a count that has not come to `all`; false if it has, or was closed before. Release and acquire,
    /// as below.
    bool close(std::size_t all) noexcept {
        std::size_t count = value_.load(std::memory_order_relaxed);
        while (count < all) {
            if (value_.compare_exchange(count, count + closed, std::memory_order_acq_rel)) {
                return true;
            }
        }
        return false;
    }

    /// Release and acquire, which pair with each other: the last one sees what all others did before.
    std::size_t up() noexcept { return value_.fetch_add(1, std::memory_order_acq_rel) + 1; }
    std::size_t down(std::size_t value) noexcept {
        return value_.fetch_sub(value, std::memory_order_acq_rel) - value;
    }

private:
    Atomic<std::size_t> value_{0};
};

/// The word of a handover.
class StdState {
public:
    /// Relaxed, as StdCount::set.
    void set(std::uint32_t state) noexcept { state_.store(state, std::memory_order_relaxed); }
    /// Acquire: pairs with the release of the change that it sees.
    std::uint32_t get() const noexcept { return state_.load(std::memory_order_acquire); }
    /// Release: a thread that sees the state sees what was done before it. Acquire: what was done before the
    /// state that it ends, also where that is another one than `from`.
    bool change(std::uint32_t from, std::uint32_t to) noexcept {
        return state_.compare_exchange(from, to, std::memory_order_acq_rel);
    }

private:
    Atomic<std::uint32_t> state_{0};
};

/// Hands an operation's end from the thread that completes it to a rank, and a function from the rank to that
/// thread, so that exactly one of the two calls it, or nobody where the rank forgets it in time.
template <class State>
class BasicHandover {
public:
    void open() noexcept { state_.set(waits); }

    /// True: the results are there, or the failure.
    bool is_over() const noexcept { return state_.get() >= over; }

    /// By the rank, which has made its function ready: whether the thread that completes the operation calls
    /// it. If not, the operation is over.
    bool give() noexcept { return state_.change(waits, has_function); }
    /// By the rank, after give() has found that the operation is over: the function is now to be called.
    void give_late() noexcept { static_cast<void>(state_.change(over, over_with_function)); }
    /// By the rank: whether the function that it has given is its own again. If not, the operation is over.
    bool take_back() noexcept { return state_.change(has_function, waits); }

    /// By the thread that completes the operation: whether a function was given, which is now to be called.
    bool complete() noexcept {
        while (!state_.change(waits, over)) {
            if (state_.change(has_function, over_with_function)) {
                return true;
            } // else the rank has just taken it back
        }
        return false;
    }

    /// By whichever thread is about to call the function, and by the rank that forgets it: whether it is the
    /// caller's alone. The other one finds none.
    bool take_function() noexcept { return state_.change(over_with_function, over); }

private:
    static constexpr std::uint32_t waits = 0;
    static constexpr std::uint32_t has_function = 1;
    static constexpr std::uint32_t over = 2;
    /// Over, and the function has neither been called nor forgotten.
    static constexpr std::uint32_t over_with_function = 3;

    State state_;
};

using Handover = BasicHandover<StdState>;

} // namespace tutti::arrive
