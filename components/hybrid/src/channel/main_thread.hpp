#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tutti::hybrid {

/// Lets one thread have its MPI calls made by the one that may make them, which waits here meanwhile.
class MainThread {
public:
    /// Runs `work` on the thread that serves, and returns or throws as it does. By one thread at a time, or
    /// by the one that serves.
    void run_there(const std::function<void()>& work);

    /// Serves until finish() is called.
    void serve();
    void finish();
    bool serves();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()>* work_ = nullptr;
    std::exception_ptr thrown_;
    bool finished_ = false;
    std::thread::id server_;
};

} // namespace tutti::hybrid
