// A plain pool of two threads, whose tasks act for eight ranks. No task waits: it brings its rank's operands
// to an async group and says which task comes next, when the operation is complete.

#include <tutti/async_group.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
public:
    explicit Pool(int workers) {
        while (workers-- > 0) {
            threads_.emplace_back([this] { work(); });
        }
    }
    /// When no more tasks are to come.
    ~Pool() {
        add(nullptr);
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }
    void add(std::function<void()> task) {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
        changed_.notify_all();
    }

private:
    void work() {
        for (std::unique_lock lock(mutex_);; lock.lock()) {
            changed_.wait(lock, [&] { return !tasks_.empty(); });
            if (!tasks_.front()) {
                return; // and leave it there for the others
            }
            const std::function<void()> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    std::vector<std::thread> threads_;
};

int main() {
    constexpr int ranks = 8, rounds = 100;
    std::vector<std::vector<double>> own(ranks, std::vector<double>(1000)), sums = own;
    tutti::AsyncGroup meeting(ranks);
    std::latch done(ranks);
    {
        Pool pool(2);
        // Every rank takes its share of the sum and adds its number, 0 + 1 + ... + 7 in each round.
        const std::function<void(int, int)> step = [&](int rank, int round) {
            auto& mine = own[static_cast<std::size_t>(rank)];
            auto& all = sums[static_cast<std::size_t>(rank)];
            std::ranges::transform(all, mine.begin(), [&](double sum) { return sum / ranks + rank; });
            tutti::AsyncRequest sum = meeting.at(rank).allreduce(mine, all, tutti::sum);
            sum.then([&, rank, round](const std::exception_ptr& failure) {
                if (failure == nullptr && round < rounds) {
                    pool.add([&, rank, round] { step(rank, round + 1); });
                } else {
                    done.count_down();
                }
            });
        };
        for (int rank = 0; rank < ranks; ++rank) {
            pool.add([&, rank] { step(rank, 1); });
        }
        done.wait();
    }
    std::printf("%d ranks on 2 threads, %d rounds: the sum is %g\n", ranks, rounds, sums[3][7]);
    return sums == std::vector(ranks, std::vector(1000, 28.0 * rounds)) ? 0 : 1;
}
