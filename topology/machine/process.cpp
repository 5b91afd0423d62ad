#include "machine/process.hpp"

#include <pthread.h>

#include <atomic>
#include <utility>

namespace tutti::machine {

/// All of them, in a list whose head outlives static objects.
class ProcessMutexes {
public:
    static ProcessMutexes& all() {
        static ProcessMutexes& made = *new ProcessMutexes;
        return made;
    }

    void add(ProcessMutex& mutex) {
        const std::scoped_lock lock(mutex_);
        mutex.next_ = std::exchange(first_, &mutex);
    }

    std::uint64_t forks() const {
        return forks_.load(std::memory_order_relaxed); // relaxed: a child has one thread when that changes
    }

private:
    ProcessMutexes() {
        pthread_atfork([] { all().lock(); }, [] { all().unlock(); },
                       [] {
                           all().forks_.fetch_add(1, std::memory_order_relaxed);
                           all().unlock();
                       });
    }

    void lock() {
        mutex_.lock();
        for (const auto order : {ProcessMutex::Order::outer, ProcessMutex::Order::inner}) {
            for (ProcessMutex* each = first_; each != nullptr; each = each->next_) {
                if (each->order_ == order) {
                    each->lock();
                }
            }
        }
    }
    void unlock() {
        for (ProcessMutex* each = first_; each != nullptr; each = each->next_) {
            each->unlock();
        }
        mutex_.unlock();
    }

    std::mutex mutex_;
    ProcessMutex* first_ = nullptr;
    std::atomic<std::uint64_t> forks_{0};
};

std::uint64_t this_process() {
    return ProcessMutexes::all().forks();
}

ProcessMutex::ProcessMutex(Order order) : order_(order) {
    ProcessMutexes::all().add(*this);
}

} // namespace tutti::machine
