#pragma once

#include "atomic.hpp"
#include "cache_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::tasks {

// State that arriving ranks share, over words of their own, so that a model checker can put its words
// underneath.

/// A count that several threads change, one of which learns that it was the last.
class StdCount {
public:
    /// Relaxed: the thread that shows the operation to others does so by a release of another word.
    void set(std::size_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
    /// Relaxed: by a thread that counts already.
    void add(std::size_t value) noexcept { value_.fetch_add(value, std::memory_order_relaxed); }

    /// The amount added to a count that is closed.
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

    /// Acquire: pairs with the changes below.
    bool is_zero() const noexcept { return value_.load(std::memory_order_acquire) == 0; }

    /// Release and acquire, which pair with each other: the last one sees all that the others did before.
    std::size_t up() noexcept { return value_.fetch_add(1, std::memory_order_acq_rel) + 1; }
    std::size_t down(std::size_t value) noexcept {
        return value_.fetch_sub(value, std::memory_order_acq_rel) - value;
    }

private:
    Atomic<std::size_t> value_{0};
};

/// The last operation of which something is so, by its number.
class StdMark {
public:
    /// Release: pairs with is().
    void set(std::uint64_t number) noexcept { number_.store(number, std::memory_order_release); }
    /// Relaxed: by the thread that sets it.
    bool is_set(std::uint64_t number) const noexcept {
        return number_.load(std::memory_order_relaxed) == number;
    }
    /// Acquire: pairs with set(); everything before that has happened.
    bool is(std::uint64_t number) const noexcept { return number_.load(std::memory_order_acquire) == number; }

private:
    Atomic<std::uint64_t> number_{0};
};

/// The word of a handover, in a line of its own: a rank looks at it until another thread changes it.
class alignas(line_bytes) StdState {
public:
    /// Acquire: pairs with the release of the change that it sees.
    std::uint64_t get() const noexcept { return state_.load(std::memory_order_acquire); }
    /// Release: a thread that sees the state sees what was done before it. Acquire: what was done before the
    /// state that it ends.
    bool change(std::uint64_t from, std::uint64_t to) noexcept {
        return state_.compare_exchange(from, to, std::memory_order_acq_rel);
    }

private:
    Atomic<std::uint64_t> state_{0};
};

/// Hands an operation's end from the thread that completes it to a rank, and a function from the rank to that
/// thread, so that exactly one of the two calls it, or neither if the rank forgets it in time. The word
/// starts with the number of its operation: for the next operation it is empty, so that nobody has to clear
/// it.
template <class State>
class BasicHandover {
public:
    /// By the rank, which comes to the operation of this number.
    void open(std::uint64_t number) noexcept { number_ = number; }
    std::uint64_t number() const noexcept { return number_; }

    /// True: the results are there, or the failure.
    bool is_over() const noexcept { return (about(number_, state_.get()) & over) != 0; }

    /// By the rank, which has made its function ready: whether the thread that completes the operation calls
    /// it. If not, the operation is over.
    bool give() noexcept { return change(waits, has_function); }
    /// By the rank, after give() has found that the operation is over: the function is now to be called.
    void give_late() noexcept { static_cast<void>(change(over, over | has_function)); }
    /// By the rank: whether the function that it has given is its own again. If not, the operation is over.
    bool take_back() noexcept { return change(has_function, waits); }

    /// By the rank, which is about to sleep: whether the thread that completes the operation learns of it. If
    /// not, the operation is over.
    bool announce_sleep() noexcept { return set(number_, sleeps, over) < over; }

    /// The state of a rank, for the thread that completes an operation.
    struct Completed {
        bool has_function; ///< which is now to be called
        bool sleeps;
    };
    /// By that thread. The rank may not have come to the operation.
    Completed complete(std::uint64_t number) noexcept {
        const std::uint64_t before = set(number, over, 0);
        return {(before & has_function) != 0, (before & sleeps) != 0};
    }

    /// By whichever thread is about to call the function, and by the rank that forgets it: whether it is the
    /// caller's alone. The other one finds none.
    bool take_function() noexcept { return change(over | has_function, over); }

private:
    static constexpr std::uint64_t waits = 0;
    static constexpr std::uint64_t has_function = 1;
    /// Some thread sleeps, or has done so, until the operation is over.
    static constexpr std::uint64_t sleeps = 2;
    /// With a function: which has neither been called nor forgotten.
    static constexpr std::uint64_t over = 4;
    static constexpr unsigned number_shift = 3;

    /// The content of a word for an operation.
    static std::uint64_t about(std::uint64_t number, std::uint64_t word) noexcept {
        return word >> number_shift == number ? word & (has_function | sleeps | over) : waits;
    }

    /// Adds `what` unless there is `unless`. Returns what there was.
    std::uint64_t set(std::uint64_t number, std::uint64_t what, std::uint64_t unless) noexcept {
        for (;;) {
            const std::uint64_t word = state_.get();
            const std::uint64_t before = about(number, word);
            if ((before & unless) != 0 || state_.change(word, number << number_shift | before | what)) {
                return before;
            }
        }
    }

    /// Whether it has changed `from` to `to`. The mark of sleepers stays.
    bool change(std::uint64_t from, std::uint64_t to) noexcept {
        for (;;) {
            const std::uint64_t word = state_.get();
            const std::uint64_t before = about(number_, word);
            if ((before & ~sleeps) != from) {
                return false;
            }
            if (state_.change(word, number_ << number_shift | to | (before & sleeps))) {
                return true;
            }
        }
    }

    std::uint64_t number_ = 0;
    State state_;
};

using Handover = BasicHandover<StdState>;

} // namespace tutti::tasks
