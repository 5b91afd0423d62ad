#include "hybrid/src/channel/main_thread.hpp"

#include <utility>

namespace tutti::hybrid {

void MainThread::run_there(const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    if (server_ == std::this_thread::get_id()) {
        lock.unlock();
        return work();
    }
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
    if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr)) {
        std::rethrow_exception(thrown);
    }
}

void MainThread::serve() {
    std::unique_lock lock(mutex_);
    server_ = std::this_thread::get_id();
    for (;;) {
        changed_.wait(lock, [this] { return work_ != nullptr || finished_; });
        if (work_ == nullptr) {
            finished_ = false;
            server_ = {};
            return;
        }
        lock.unlock();
        try {
            (*work_)();
        } catch (...) {
            thrown_ = std::current_exception();
        }
        lock.lock();
        work_ = nullptr;
        changed_.notify_all();
    }
}

bool MainThread::serves() {
    const std::scoped_lock lock(mutex_);
    return server_ != std::thread::id();
}

void MainThread::finish() {
    const std::scoped_lock lock(mutex_);
    finished_ = true;
    changed_.notify_all();
}

} // namespace tutti::hybrid
