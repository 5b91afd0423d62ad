#include "c/rendezvous.hpp"

#include "atomic.hpp"
#include "c/numbered.hpp"
#include "c/options.hpp"
#include "c/status.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace tutti;

namespace {

/// What an executor is handed: runs that it owes.
class Task {
public:
    Task(std::size_t count, std::function<void(std::size_t)> run)
        : run_(std::move(run)), begun_(count), unfinished_(count) {}

    std::size_t count() const { return begun_.size(); }
    const std::function<void(std::size_t)>& run() const { return run_; }
    /// Whether nobody has begun the run, or given it up.
    bool begin(std::size_t i) { return !begun_[i].test_and_set(std::memory_order_relaxed); }
    /// Returns whether it was the last. Acquire and release: it comes after all others.
    bool finish() { return unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

private:
    std::function<void(std::size_t)> run_;
    std::vector<std::atomic_flag> begun_;
    Atomic<std::size_t> unfinished_;
};

/// Those that are not over. A number stands for the address that executors get, so that one that is kept too
/// long is known as such.
constinit c::Numbered<std::shared_ptr<Task>> tasks;

void finish(Task& task, std::uint64_t number) {
    if (task.finish()) {
        tasks.take(number);
    }
}

void hand_on(tutti_executor executor, void* user, std::size_t count,
             const std::function<void(std::size_t)>& run) {
    const auto task = std::make_shared<Task>(count, run);
    const std::uint64_t number = tasks.add(task);
    // Those that have not begun never will.
    const auto give_up = [&] {
        for (std::size_t i = 0; i < count; ++i) {
            if (task->begin(i)) {
                finish(*task, number);
            }
        }
    };
    tutti_status status = TUTTI_OK;
    try {
        status =
            executor(user, count, reinterpret_cast<tutti_task*>(number)); // NOLINT(performance-no-int-to-ptr)
    } catch (...) {
        give_up();
        throw;
    }
    if (status != TUTTI_OK) {
        give_up();
        c::throw_status(status, "the executor");
    }
}

RendezvousOptions chosen(const tutti_rendezvous_options* given) {
    const auto options =
        c::known("rendezvous", given, tutti_rendezvous_options TUTTI_RENDEZVOUS_OPTIONS_INIT);
    RendezvousOptions made;
    if (options.executor != nullptr) {
        made.executor = [executor = options.executor, user = options.user](
                            std::size_t count, const auto& run) { hand_on(executor, user, count, run); };
    }
    if (options.slice_bytes != 0) {
        made.slice_bytes = options.slice_bytes;
    }
    made.deadline = std::chrono::milliseconds(options.deadline_ms);
    return made;
}

} // namespace

tutti_status tutti_task_run(tutti_task* task, size_t i) {
    return c::guarded([&] {
        const auto number = reinterpret_cast<std::uint64_t>(&c::there("task_run", "task", task));
        const std::shared_ptr<Task>* const found = tasks.find(number);
        if (found == nullptr) {
            c::refuse("task_run", "`task` is over: each of its runs has been made, or given up");
        }
        const std::shared_ptr<Task> own = *found;
        if (i >= own->count()) {
            c::refuse("task_run",
                      "`i` is " + std::to_string(i) + ", must be less than " + std::to_string(own->count()));
        }
        if (!own->begin(i)) {
            c::refuse("task_run", "`i` is " + std::to_string(i) + ", which has been run, or given up");
        }
        own->run()(i);
        finish(*own, number);
    });
}

tutti_status tutti_rendezvous_create(int ranks, const tutti_rendezvous_options* options,
                                     tutti_rendezvous** rendezvous) {
    return c::guarded([&] {
        auto& made = c::there("rendezvous", "rendezvous", rendezvous);
        made = nullptr;
        made = new tutti_rendezvous{Rendezvous(ranks, chosen(options))};
    });
}

tutti_status tutti_rendezvous_free(tutti_rendezvous* rendezvous) {
    delete rendezvous;
    return TUTTI_OK;
}

tutti_status tutti_rendezvous_roll_call(const tutti_rendezvous* rendezvous, int format, char* text,
                                        size_t bytes, size_t* length) {
    constexpr const char* name = "rendezvous_roll_call";
    return c::guarded([&] {
        c::write_roll_call(name, c::there(name, "rendezvous", rendezvous).rendezvous, format, text, bytes,
                           length);
    });
}

tutti_status tutti_rendezvous_size(const tutti_rendezvous* rendezvous, int* size) {
    return c::guarded([&] {
        c::there("rendezvous_size", "size", size) =
            c::there("rendezvous_size", "rendezvous", rendezvous).rendezvous.size();
    });
}
