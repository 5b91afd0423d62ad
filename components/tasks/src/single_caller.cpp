#include "atomic.hpp"
#include "machine/pinning.hpp"
#include "plan/plan.hpp"
#include "tasks/src/contribution.hpp"
#include "tasks/src/slices.hpp"
#include "tasks/src/small.hpp"

#include <tutti/error.hpp>
#include <tutti/single_caller.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::detail {

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
            std::rethrow_exception(failure_);
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

struct SingleCallerCalls::State {
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

void SingleCallerCalls::add_other(const Call& call) {
    state().add(call);
}

void SingleCallerCalls::execute(const Executor& executor) {
    if (alike_ == ranks_ && tasks::execute_small(key_, builtin_, {inputs_, outputs_, ranks_})) {
        return;
    }
    // Shared with the thread that finishes, which may look at it a little longer than this call lasts.
    const auto waited = std::make_shared<Waited>();
    tasks::execute(tasks::task_of(state().all, 0, executor ? machine::allowed_pus() : 1), executor, 0,
                   waited);
    waited->wait();
}

} // namespace tutti::inline TUTTI_NAMESPACE::detail
