#include "arrive/contribution.hpp"
#include "arrive/slices.hpp"
#include "execute/group_state.hpp"
#include "machine/pinning.hpp"

#include <tutti/error.hpp>
#include <tutti/one_caller.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::detail {

namespace {

/// Lets a thread wait for the completion.
class Waited final : public arrive::Completion {
public:
    void finished(std::exception_ptr failure) noexcept override {
        failure_ = std::move(failure);
        is_over_.store(true, std::memory_order_release); // pairs with wait()
        is_over_.notify_all();
    }

    void wait() {
        is_over_.wait(false, std::memory_order_acquire);
        if (failure_ != nullptr) {
            std::rethrow_exception(failure_);
        }
    }

private:
    std::exception_ptr failure_;
    std::atomic<bool> is_over_{false};
};

} // namespace

std::size_t ranks_of(const char* collective, std::size_t inputs, std::size_t outputs) {
    if (inputs != outputs) {
        throw ArgumentError(std::string(collective) + ": there are " + std::to_string(inputs) +
                            " inputs and " + std::to_string(outputs) + " outputs: there must be as many");
    }
    return inputs;
}

struct AllCalls::State {
    explicit State(std::size_t ranks) : all(ranks) {}

    std::vector<arrive::Contribution> all;
    int next = 0;
};

AllCalls::AllCalls(std::size_t ranks) : state_(std::make_unique<State>(ranks)) {
    if (ranks == 0 || ranks > static_cast<std::size_t>(execute::most_members)) {
        throw ArgumentError("there are " + std::to_string(ranks) + " vectors, must be 1.." +
                            std::to_string(execute::most_members));
    }
}

AllCalls::~AllCalls() = default;

int AllCalls::ranks() const {
    return static_cast<int>(state_->all.size());
}

void AllCalls::add(const Call& call) {
    const int rank = state_->next;
    state_->all[static_cast<std::size_t>(rank)].take(call, rank, ranks());
    ++state_->next;
}

void AllCalls::carry_out(const Executor& executor) {
    // Shared with the thread that finishes, which may look at it a little longer than this call lasts.
    const auto waited = std::make_shared<Waited>();
    arrive::carry_out(arrive::task_of(state_->all, 1, executor ? machine::allowed_pus() : 1), executor,
                      default_slice_bytes, waited);
    waited->wait();
}

} // namespace tutti::detail
