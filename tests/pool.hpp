#pragma once

#include "std.hpp"

#include <tutti/executor.hpp>

namespace tutti::test {

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

    void add(std::function<void()> function) {
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(function));
        }
        changed_.notify_one();
    }

    /// One that returns before anything need have run. It has memory of its own, for checkers to watch.
    Executor executor() {
        return [this, steps = std::vector<std::size_t>{1}](std::size_t count,
                                                           const std::function<void(std::size_t)>& task) {
            for (std::size_t index = 0; index < count; index += steps.front()) {
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
            std::function<void()> function = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            function();
            function = nullptr;
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> queue_;
    bool ends_ = false;
    std::vector<std::thread> workers_;
};

} // namespace tutti::test
