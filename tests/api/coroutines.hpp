#pragma once

#include "../std.hpp"

#include <tutti/tutti.hpp>

#include <coroutine>

namespace tutti::test {

/// A coroutine that runs until it waits, and keeps what it throws.
class Task {
public:
    struct promise_type {
        std::exception_ptr thrown;
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { thrown = std::current_exception(); }
    };

    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    ~Task() {
        if (handle_) {
            handle_.destroy();
        }
    }

    bool is_done() const { return handle_.done(); }
    std::exception_ptr thrown() const { return handle_.promise().thrown; }

private:
    std::coroutine_handle<promise_type> handle_;
};

inline Task one_step(Member& me, const std::vector<int>& in, std::vector<int>& out) {
    co_await me.start.allreduce(in, out, sum);
}

} // namespace tutti::test
