#include "c/rendezvous.hpp"

#include "c/options.hpp"
#include "c/status.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

using namespace tutti;

/// What an executor is handed. Each run that it owes refers to it, and so does the call of the executor.
struct tutti_task {
    tutti_task(std::size_t runs, std::function<void(std::size_t)> function)
        : count(runs), run(std::move(function)), references(runs + 1) {}

    /// Acquire and release: whoever is last frees what all others have used.
    void drop(std::size_t dropped) {
        if (references.fetch_sub(dropped, std::memory_order_acq_rel) == dropped) {
            delete this;
        }
    }

    std::size_t count;
    std::function<void(std::size_t)> run;
    std::atomic<std::size_t> references;
    std::atomic<std::size_t> begun{0};
};

namespace {

void hand_on(tutti_executor executor, void* user, std::size_t count,
             const std::function<void(std::size_t)>& run) {
    auto* const task = new tutti_task(count, run);
    // Those that have not begun never will.
    const auto give_up = [&] { task->drop(1 + count - task->begun.load(std::memory_order_relaxed)); };
    tutti_status status = TUTTI_OK;
    try {
        status = executor(user, count, task);
    } catch (...) {
        give_up();
        throw;
    }
    if (status == TUTTI_OK) {
        return task->drop(1);
    }
    give_up();
    c::throw_status(status, "the executor");
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
    return made;
}

} // namespace

tutti_status tutti_task_run(tutti_task* task, size_t i) {
    return c::guarded([&] {
        tutti_task& own = c::there("task_run", "task", task);
        if (i >= own.count) {
            c::refuse("task_run",
                      "`i` is " + std::to_string(i) + ", must be less than " + std::to_string(own.count));
        }
        own.begun.fetch_add(1, std::memory_order_relaxed);
        own.run(i);
        own.drop(1);
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

tutti_status tutti_rendezvous_size(const tutti_rendezvous* rendezvous, int* size) {
    return c::guarded([&] {
        c::there("rendezvous_size", "size", size) =
            c::there("rendezvous_size", "rendezvous", rendezvous).rendezvous.size();
    });
}
