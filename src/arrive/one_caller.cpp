#include "arrive/contribution.hpp"
#include "arrive/slices.hpp"
#include "atomic.hpp"
#include "machine/pinning.hpp"
#include "plan/plan.hpp"

#include <tutti/error.hpp>
#include <tutti/one_caller.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::detail {

namespace {

/// Lets a thread wait for the completion. Meanwhile it does what an executor has not begun.
class Waited final : public arrive::Completion {
public:
    void shared_out(std::shared_ptr<arrive::Slices> slices) noexcept override { slices_ = std::move(slices); }

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
            std::rethrow_exception(failure_);
        }
    }

private:
    std::shared_ptr<arrive::Slices> slices_;
    std::exception_ptr failure_;
    Atomic<bool> is_over_{false};
};

/// What all vectors have together where all of them fit into a cache, so that nothing is stored past it.
constexpr std::size_t most_small_bytes = std::size_t{256} << 10U;

std::uintptr_t address(const void* vector) {
    return reinterpret_cast<std::uintptr_t>(vector);
}

} // namespace

void refuse_numbers(const char* collective, std::size_t vectors, std::size_t others, const char* what) {
    throw ArgumentError(std::string(collective) + ": there are " + std::to_string(vectors) +
                        " vectors, but " + std::to_string(others) + " " + what + ": there must be as many");
}

struct SingleCallerCalls::State {
    explicit State(std::size_t ranks) : all(ranks) {}

    void add(const Call& call) {
        try {
            all[static_cast<std::size_t>(next)].take(call, next, static_cast<int>(all.size()));
        } catch (const ArgumentError& error) {
            throw ArgumentError(std::string(error.what()) + " (rank " + std::to_string(next) + ")");
        }
        ++next;
    }

    std::vector<arrive::Contribution> all;
    int next = 0;
};

void SingleCallerCalls::refuse_ranks(const char* collective, std::size_t ranks) {
    throw ArgumentError(std::string(collective) + ": there are " + std::to_string(ranks) +
                        " vectors, must be 1.." + std::to_string(plan::most_members));
}

/// With the calls that are alike.
SingleCallerCalls::State& SingleCallerCalls::state() {
    if (state_ == nullptr) {
        if (ranks_ > static_cast<std::size_t>(plan::most_members)) {
            refuse_ranks(collective_, ranks_);
        }
        auto state = std::make_shared<State>(ranks_);
        Call call = Key(key_).call();
        for (std::size_t rank = 0; rank < alike_; ++rank) {
            call.input = inputs_[rank];
            call.output = outputs_[rank];
            state->add(call);
        }
        state_ = std::move(state);
    }
    return *state_;
}

void SingleCallerCalls::add_other(const Call& call) {
    state().add(call);
}

void SingleCallerCalls::execute(const Executor& executor) {
    if (execute_small()) {
        return;
    }
    // Shared with the thread that finishes, which may look at it a little longer than this call lasts.
    const auto waited = std::make_shared<Waited>();
    arrive::execute(arrive::task_of(state().all, 0, executor ? machine::allowed_pus() : 1), executor, 0,
                    waited);
    waited->wait();
}

/// What one pass does over few vectors in the caches, if all are there and lie where they may. Else false,
/// with nothing done: it is more than that, or wrong.
bool SingleCallerCalls::execute_small() const {
    if (alike_ != ranks_) {
        return false;
    }
    const Key call(key_);
    const auto ranks = static_cast<int>(ranks_);
    const bool one_output = call.collective == Collective::reduce;
    const std::size_t bytes = call.output_count * bytes_of(call.type);
    if (call.input_count != call.output_count || 2 * ranks_ * bytes >= most_small_bytes ||
        call.root >= ranks || !are_apart(one_output, bytes)) {
        return false;
    }
    switch (call.collective) {
    case Collective::broadcast:
        for (int rank = 0; rank < ranks; ++rank) {
            if (rank != call.root) {
                std::memcpy(outputs_[rank], inputs_[call.root], bytes);
            }
        }
        return true;
    case Collective::reduce:
    case Collective::allreduce:
        builtin(call.type, call.op)
            .reduce_many(nullptr, outputs_, one_output ? 1 : ranks, inputs_, ranks, call.output_count,
                         Association::tree, {});
        return true;
    case Collective::scan:
    case Collective::exscan:
        builtin(call.type, call.op)
            .scan_many(nullptr, outputs_, inputs_, ranks, call.output_count,
                       call.collective == Collective::exscan, Association::tree, {});
        return true;
    default:
        return false;
    }
}

/// Whether all are there, and none of the first `outputs` outputs overlaps anything but, exactly, the input
/// of its rank.
bool SingleCallerCalls::are_apart(bool one_output, std::size_t bytes) const {
    if (bytes == 0) {
        return false; // which may be null
    }
    if (are_in_order(one_output, bytes)) {
        return true;
    }
    const std::size_t outputs = one_output ? 1 : ranks_;
    const auto apart = [bytes](const void* one, const void* other) {
        return address(one) - address(other) + bytes - 1 >= 2 * bytes - 1;
    };
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
        const void* const input = inputs_[rank];
        bool is_apart = input != nullptr;
        for (std::size_t other = 0; other < outputs; ++other) {
            const void* const output = outputs_[other];
            is_apart = is_apart && output != nullptr &&
                       (apart(output, input) || (!one_output && rank == other && output == input)) &&
                       (other <= rank || rank >= outputs || apart(output, outputs_[rank]));
        }
        if (!is_apart) {
            return false;
        }
    }
    return true;
}

/// Whether the outputs lie one behind the other, and all inputs elsewhere or where the outputs are, as
/// vectors do that were made in their order. Sees it without comparing each with each.
bool SingleCallerCalls::are_in_order(bool one_output, std::size_t bytes) const {
    std::uintptr_t lowest = ~std::uintptr_t{0};
    std::uintptr_t highest = 0;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
        lowest = std::min(lowest, address(inputs_[rank]));
        highest = std::max(highest, address(inputs_[rank]));
    }
    std::uintptr_t end = 1; // null is before
    bool ascend = true;
    bool are_same = !one_output;
    for (std::size_t rank = 0; rank < (one_output ? 1 : ranks_); ++rank) {
        const std::uintptr_t output = address(outputs_[rank]);
        ascend = ascend & (output >= end);
        are_same = are_same & (outputs_[rank] == inputs_[rank]);
        end = output + bytes;
    }
    return ascend && lowest != 0 && (are_same || address(outputs_[0]) >= highest + bytes || lowest >= end);
}

} // namespace tutti::detail
