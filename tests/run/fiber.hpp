#pragma once

#include "../std.hpp"

#include <ucontext.h>

namespace tutti::test {

/// A function on a stack of its own, which suspends itself and does not return. Nothing on the stack is
/// destroyed.
class Fiber {
public:
    explicit Fiber(std::function<void()> body) : body_(std::move(body)) { restart(); }

    void restart() {
        getcontext(&inside_);
        inside_.uc_stack.ss_sp = stack_.get();
        inside_.uc_stack.ss_size = stack_bytes;
        makecontext(
            &inside_, [] { resumed->body_(); }, 0); // which passes no pointer
    }
    void resume() {
        resumed = this;
        swapcontext(&outside_, &inside_);
    }
    void suspend() { swapcontext(&inside_, &outside_); }

private:
    static constexpr std::size_t stack_bytes = std::size_t{1} << 18U;
    static inline Fiber* resumed = nullptr;
    std::function<void()> body_;
    std::unique_ptr<std::byte[]> stack_ = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
    ucontext_t inside_{};
    ucontext_t outside_{};
};

} // namespace tutti::test
