#include "tasks/src/slices.hpp"

#include "choose/store_policy.hpp"
#include "machine/pinning.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tutti::tasks {

void Slices::run(std::size_t index) noexcept {
    if (!shares_.take(index)) {
        return;
    }
    // Relaxed: a slice that is made in vain does no harm.
    if (!has_failed_.test(std::memory_order_relaxed)) {
        try {
            pass::carry_out_slice(task_.work, index, shares_.count());
        } catch (...) {
            fail(std::current_exception());
        }
    }
    finish_one();
}

void Slices::not_handed_out(std::exception_ptr failure) noexcept {
    fail(std::move(failure));
    for (std::size_t index = 0; index < shares_.count(); ++index) {
        if (shares_.take(index)) {
            finish_one();
        }
    }
    finish_one();
}

void Slices::fail(std::exception_ptr failure) {
    if (!has_failed_.test_and_set(std::memory_order_relaxed)) {
        failure_ = std::move(failure);
    }
}

/// The thread that hands out has a part in this, so that the executor is not gone before it returns.
void Slices::finish_one() {
    if (shares_.finish()) {
        task_.copies.clear();
        std::exchange(completion_, nullptr)->finished(std::move(failure_));
    }
}

namespace {

void hand_out(Task task, std::size_t count, const Executor& executor,
              const std::shared_ptr<Completion>& completion) {
    const auto slices = std::make_shared<Slices>(std::move(task), count, completion);
    const std::function<void(std::size_t)> run = [slices](std::size_t index) { slices->run(index); };
    completion->shared_out(slices); // from here on nothing fails except the executor
    try {
        executor(count, run);
    } catch (...) {
        return slices->not_handed_out(std::current_exception());
    }
    slices->handed_out();
}

std::size_t slices_of(std::size_t touched_bytes, std::size_t slice_bytes) {
    if (slice_bytes != 0) {
        return touched_bytes / slice_bytes;
    }
    const std::size_t from_bytes = engine::StorePolicy::here().profile().parallel_threshold_bytes;
    const bool pays = from_bytes != 0 && touched_bytes >= from_bytes;
    const std::size_t most = slices_per_cpu * static_cast<std::size_t>(machine::allowed_pus());
    return pays ? std::min(touched_bytes / least_slice_bytes, most) : 1;
}

} // namespace

void execute(Task task, const Executor& executor, std::size_t slice_bytes,
             const std::shared_ptr<Completion>& completion) noexcept {
    const std::size_t slices = executor ? slices_of(pass::touched_bytes(task.work), slice_bytes) : 1;
    try {
        if (slices > 1) {
            return hand_out(std::move(task), slices, executor, completion);
        }
        pass::carry_out_slice(task.work, 0, 1);
    } catch (...) {
        return completion->finished(std::current_exception());
    }
    completion->finished(nullptr);
}

} // namespace tutti::tasks
