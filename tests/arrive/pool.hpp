#pragma once

#include <tutti/executor.hpp>

#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

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

/// A few threads that run what they are given, in order, and never wait for one another.
class Pool {
public:
    explicit Pool(int workers) {
        for (int worker = 0; worker < workers; ++worker) {
            workers_.emplace_back([this] { work(); });
        }
    }
    /// Runs what is left first.
    ~Pool() {
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        changed_.notify_all();
        for (std::thread& worker : workers_) {
            worker.join();
        }
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    Pool(Pool&&) = delete;
    Pool& operator=(Pool&&) = delete;

    void add(std::function<void()> function) {
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(function));
        }
        changed_.notify_one();
    }

    /// One that returns before anything need have run.
    Executor executor() {
        return [this](std::size_t count, const std::function<void(std::size_t)>& task) {
            for (std::size_t index = 0; index < count; ++index) {
                add([task, index] { task(index); });
            }
        };
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return ends_ || !queue_.empty(); });
            if (queue_.empty()) {
                return;
            }
            const std::function<void()> function = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            function();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> queue_;
    bool ends_ = false;
    std::vector<std::thread> workers_;
};

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
