#pragma once

#include "tests/on_threads.hpp"
#include "tests/pool.hpp"
#include "tests/test.hpp"

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <coroutine>

namespace tutti::test {

/// A coroutine that nobody waits for.
struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

/// Awaits the request, and leaves "complete" or what it throws in `text`.
inline Task await_text(AsyncRequest request, std::string& text) {
    try {
        co_await request;
        text = "complete";
    } catch (const Error& error) {
        text = error.what();
    }
}

/// "" if there is none.
inline std::string text_of(const std::exception_ptr& failure) {
    try {
        if (failure != nullptr) {
            std::rethrow_exception(failure);
        }
    } catch (const std::exception& exception) {
        return exception.what();
    }
    return "";
}

/// An executor that keeps what it is given and runs none of it.
class Idle {
public:
    Executor executor() {
        return [this](std::size_t count, const std::function<void(std::size_t)>& task) {
            const std::lock_guard lock(mutex_);
            kept_.push_back([count, task] {
                for (std::size_t index = 0; index < count; ++index) {
                    task(index);
                }
            });
        };
    }

    /// After all.
    void run() {
        for (const std::function<void()>& each : kept_) {
            each();
        }
    }

private:
    std::mutex mutex_;
    std::vector<std::function<void()>> kept_;
};

/// An executor that does everything at once, the last task first.
inline Executor backwards() {
    return [](std::size_t count, const std::function<void(std::size_t)>& task) {
        for (std::size_t index = count; index-- > 0;) {
            task(index);
        }
    };
}

} // namespace tutti::test
