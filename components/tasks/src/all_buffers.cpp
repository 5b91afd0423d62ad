#include "atomic.hpp"
#include "choose/select.hpp"
#include "machine/pinning.hpp"
#include "tasks/src/contribution.hpp"

#include <tutti/all_buffers.hpp>
#include <tutti/error.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

namespace tutti::tasks {

namespace {

/// The size of all vectors together up to which they fit into a cache, so that nothing is stored past it.
constexpr std::size_t most_small_bytes = std::size_t{256} << 10U;

std::uintptr_t address(const void* vector) {
    return reinterpret_cast<std::uintptr_t>(vector);
}

/// Whether the outputs lie one behind the other, and all inputs elsewhere or where the outputs are, as
/// vectors do that were made in their order. Sees it without comparing each with each.
bool are_in_order(const Operands& operands, bool one_output, std::size_t bytes) {
    const auto& [inputs, outputs, ranks] = operands;
    std::uintptr_t lowest = ~std::uintptr_t{0};
    std::uintptr_t highest = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        lowest = std::min(lowest, address(inputs[rank]));
        highest = std::max(highest, address(inputs[rank]));
    }
    std::uintptr_t end = 1; // null is before
    bool ascend = true;
    bool are_same = !one_output;
    for (std::size_t rank = 0; rank < (one_output ? 1 : ranks); ++rank) {
        const std::uintptr_t output = address(outputs[rank]);
        ascend = ascend & (output >= end);
        are_same = are_same & (outputs[rank] == inputs[rank]);
        end = output + bytes;
    }
    return ascend && lowest != 0 && (are_same || address(outputs[0]) >= highest + bytes || lowest >= end);
}

/// Whether all are there, and none of the first `outputs` outputs overlaps anything but, exactly, the input
/// of its rank.
bool are_apart(const Operands& operands, bool one_output, std::size_t bytes) {
    if (bytes == 0) {
        return false; // which may be null
    }
    if (are_in_order(operands, one_output, bytes)) {
        return true;
    }
    const std::size_t outputs = one_output ? 1 : operands.ranks;
    const auto apart = [bytes](const void* one, const void* other) {
        return address(one) - address(other) + bytes - 1 >= 2 * bytes - 1;
    };
    for (std::size_t rank = 0; rank < operands.ranks; ++rank) {
        const void* const input = operands.inputs[rank];
        bool is_apart = input != nullptr;
        for (std::size_t other = 0; other < outputs; ++other) {
            const void* const output = operands.outputs[other];
            is_apart = is_apart && output != nullptr &&
                       (apart(output, input) || (!one_output && rank == other && output == input)) &&
                       (other <= rank || rank >= outputs || apart(output, operands.outputs[rank]));
        }
        if (!is_apart) {
            return false;
        }
    }
    return true;
}

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

std::size_t slices_of(const Task& task, std::size_t slice_bytes) {
    const std::size_t touched_bytes = pass::touched_bytes(task.work);
    if (slice_bytes != 0) {
        return touched_bytes / slice_bytes;
    }
    const std::size_t from_bytes = library::StorePolicy::here().profile().parallel_threshold_bytes;
    const bool pays = from_bytes != 0 && touched_bytes >= from_bytes;
    return pays ? std::min(touched_bytes / least_slice_bytes, slices_per_cpu * task.cpus) : 1;
}

} // namespace

bool execute_small(std::uint64_t key, detail::Builtin builtin, const Operands& operands) {
    const detail::Call call = detail::call_of(key);
    if (call.collective == Collective::barrier) {
        return true;
    }
    const auto& [inputs, outputs, all] = operands;
    const auto ranks = static_cast<int>(all);
    const bool one_output = call.collective == Collective::reduce;
    const std::size_t bytes = call.output_count * detail::bytes_of(call.type);
    if (call.input_count != call.output_count || 2 * all * bytes >= most_small_bytes || call.root >= ranks ||
        !are_apart(operands, one_output, bytes)) {
        return false;
    }
    switch (call.collective) {
    case Collective::broadcast:
        for (int rank = 0; rank < ranks; ++rank) {
            if (rank != call.root) {
                std::memcpy(outputs[rank], inputs[call.root], bytes);
            }
        }
        return true;
    case Collective::reduce:
    case Collective::allreduce:
        builtin(call.op).reduce_many(nullptr, outputs, one_output ? 1 : ranks, inputs, ranks,
                                     call.output_count, detail::Association::tree, {});
        return true;
    case Collective::scan:
    case Collective::exscan:
        builtin(call.op).scan_many(nullptr, outputs, inputs, ranks, call.output_count,
                                   call.collective == Collective::exscan, detail::Association::tree, {});
        return true;
    default:
        return false;
    }
}

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

void execute(Task task, const Executor& executor, std::size_t slice_bytes,
             const std::shared_ptr<Completion>& completion) noexcept {
    const std::size_t slices = executor ? slices_of(task, slice_bytes) : 1;
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

namespace tutti::v0_1::detail {

namespace {

/// Lets a thread wait for the completion. Meanwhile it runs the slices that an executor has not begun.
class Waited final : public tasks::Completion {
public:
    void shared_out(std::shared_ptr<tasks::Slices> slices) noexcept override { slices_ = std::move(slices); }

    void finished(std::exception_ptr failure) noexcept override {
        failure_ = std::move(failure);
        is_over_.store(true, std::memory_order_release); // pairs with wait()
        is_over_.notify_all();
    }

    void wait() {
        if (slices_ != nullptr) {
            slices_->run_unbegun();
        }
        is_over_.wait(false, std::memory_order_acquire);
        if (failure_ != nullptr) {
            // Slices may live longer on a thread of the executor, which must not be the one that frees it.
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
    }

private:
    std::shared_ptr<tasks::Slices> slices_;
    std::exception_ptr failure_;
    Atomic<bool> is_over_{false};
};

} // namespace

void refuse_numbers(const char* collective, std::size_t vectors, std::size_t others, const char* what) {
    throw ArgumentError(std::string(collective) + ": there are " + std::to_string(vectors) +
                        " vectors, but " + std::to_string(others) + " " + what +
                        ": the numbers must be equal");
}

struct AllBuffersCalls::State {
    explicit State(std::size_t ranks) : all(ranks) {}

    void add(const Call& call) {
        const auto rank = static_cast<std::size_t>(next);
        try {
            if (rank > 0 && repeats(all[rank - 1], call)) {
                all[rank].repeat(all[rank - 1], call);
            } else {
                all[rank].take(call, next, static_cast<int>(all.size()));
            }
        } catch (const ArgumentError& error) {
            throw ArgumentError(std::string(error.what()) + " (rank " + std::to_string(next) + ")",
                                {.rank = next, .collective = call.collective});
        }
        ++next;
    }

    /// Whether the call needs no check because the rank before has made it. If there is a root, or if buffers
    /// are divided, the result of a check depends on the rank.
    static bool repeats(const tasks::Contribution& before, const Call& call) {
        const CollectiveTraits& traits = traits_of(call.collective);
        return !traits.is_rooted() && !traits.is_divided() &&
               before.serves(key_of(call), call.input, call.output);
    }

    std::vector<tasks::Contribution> all;
    int next = 0;
};

void AllBuffersCalls::refuse_ranks(const char* collective, std::size_t ranks) {
    throw ArgumentError(std::string(collective) + ": there are " + std::to_string(ranks) +
                        " vectors, must be 1.." + std::to_string(plan::most_members));
}

/// With the calls that are alike.
AllBuffersCalls::State& AllBuffersCalls::state() {
    if (state_ == nullptr) {
        if (ranks_ > static_cast<std::size_t>(plan::most_members)) {
            refuse_ranks(collective_, ranks_);
        }
        auto state = std::make_shared<State>(ranks_);
        Call call = call_of(key_);
        call.builtin = builtin_;
        for (std::size_t rank = 0; rank < alike_; ++rank) {
            call.input = inputs_[rank];
            call.output = outputs_[rank];
            state->add(call);
        }
        state_ = std::move(state);
    }
    return *state_;
}

void AllBuffersCalls::add_other(const Call& call) {
    state().add(call);
}

void AllBuffersCalls::execute(const Executor& executor) {
    if (alike_ == ranks_ && tasks::execute_small(key_, builtin_, {inputs_, outputs_, ranks_})) {
        return;
    }
    // Shared with the thread that finishes, which may look at it a little longer than this call lasts.
    const auto waited = std::make_shared<Waited>();
    static const int cpus = machine::allowed_pus(); // takes 50 us
    tasks::execute(tasks::task_of(state().all, 0, executor ? cpus : 1), executor, 0, waited);
    waited->wait();
}

} // namespace tutti::v0_1::detail
