#include "execute/failure.hpp"

#include <tutti/error.hpp>

#include <utility>

namespace tutti::execute {

namespace {

std::string text_of(const std::exception_ptr& cause) {
    try {
        std::rethrow_exception(cause);
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "an exception that is not a std::exception";
    }
}

} // namespace

bool Failure::raise(int member, std::exception_ptr cause) {
    const std::scoped_lock lock(mutex_);
    if (first_ != nullptr) {
        return false;
    }
    text_ = "released because member " + std::to_string(member) + " failed: " + text_of(cause);
    first_ = std::move(cause);
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

} // namespace tutti::execute
