#include "execute/failure.hpp"

#include "mailbox/doorbell.hpp"

#include <tutti/error.hpp>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace tutti::execute {

std::string text_of(const std::exception_ptr& cause) {
    if (cause == nullptr) {
        return "its thread was ended by pthread_exit() or pthread_cancel()";
    }
    try {
        std::rethrow_exception(cause);
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "an exception that is not a std::exception";
    }
}

bool Failure::raise(int member, std::exception_ptr cause) {
    const std::scoped_lock lock(mutex_);
    if (first_ != nullptr) {
        return false;
    }
    first_ = cause != nullptr ? std::move(cause) : std::make_exception_ptr(Error(text_of(nullptr)));
    text_ = "released because member " + std::to_string(member) + " failed: " + text_of(first_);
    raised_.store(true, std::memory_order_release); // release: pairs with raised()
    return true;
}

void Failure::throw_aborted() const {
    const std::scoped_lock lock(mutex_);
    throw Aborted(text_);
}

std::exception_ptr Failure::first() const {
    const std::scoped_lock lock(mutex_);
    return first_;
}

void Failure::clear() {
    const std::scoped_lock lock(mutex_);
    first_ = nullptr;
    text_.clear();
    raised_.store(false, std::memory_order_release);
}

void order_all_threads() noexcept {
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        // A kernel without it, or one that forbids it: no store stays in a processor's buffer for so long.
        constexpr std::int64_t longest_in_buffer_ns = 10'000'000;
        mailbox::nap(longest_in_buffer_ns);
    }
}

} // namespace tutti::execute
