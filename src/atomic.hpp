#pragma once

#include "announce.hpp"

#include <atomic>

namespace tutti {

/// A std::atomic that announces its releases and acquires. Those that order nothing but themselves need not
/// be one.
template <class T>
class Atomic {
public:
    Atomic() = default;
    constexpr explicit Atomic(T value) noexcept : value_(value) {}

    T load(std::memory_order order) const noexcept {
        const T value = value_.load(order);
        after(order);
        return value;
    }
    void store(T value, std::memory_order order) noexcept {
        before(order);
        value_.store(value, order);
    }
    T fetch_add(T value, std::memory_order order) noexcept {
        before(order);
        const T old = value_.fetch_add(value, order);
        after(order);
        return old;
    }
    T fetch_sub(T value, std::memory_order order) noexcept {
        before(order);
        const T old = value_.fetch_sub(value, order);
        after(order);
        return old;
    }
    /// Announces a release also if it fails and there is none.
    bool compare_exchange(T& expected, T value, std::memory_order order) noexcept {
        before(order);
        const bool is_changed = value_.compare_exchange_strong(expected, value, order);
        after(order);
        return is_changed;
    }

    void wait(T old, std::memory_order order) const noexcept {
        value_.wait(old, order);
        after(order);
    }
    void notify_all() noexcept { value_.notify_all(); }

private:
    void before(std::memory_order order) const noexcept {
        if (order == std::memory_order_release || order == std::memory_order_acq_rel) {
            announce_release(this);
        }
    }
    void after(std::memory_order order) const noexcept {
        if (order == std::memory_order_acquire || order == std::memory_order_acq_rel) {
            announce_acquire(this);
        }
    }

    std::atomic<T> value_{};
};

} // namespace tutti
