#include "wait/thread_progress.hpp"

#include "immovable.hpp"

#include <tutti/detail/request_base.hpp>
#include <tutti/error.hpp>
#include <tutti/request.hpp>

#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <utility>

namespace tutti::engine {

thread_local constinit ThreadProgress ThreadProgress::current;

std::uint64_t ThreadProgress::give_id() noexcept {
    static std::atomic<std::uint64_t> threads{0};
    return id_ = threads.fetch_add(1, std::memory_order_relaxed) + 1; // relaxed: only unique
}

void ThreadProgress::add(Outstanding& member) noexcept {
    member.next_of_thread_ = std::exchange(first_, &member);
}

void ThreadProgress::remove(Outstanding& member) noexcept {
    Outstanding** link = &first_;
    while (*link != &member) {
        link = &(*link)->next_of_thread_;
    }
    *link = member.next_of_thread_;
}

bool ThreadProgress::has_only(const Outstanding& member) const {
    return first_ == &member && member.next_of_thread_ == nullptr && !has_continuations();
}

bool ThreadProgress::needs_looks() const {
    for (const Outstanding* member = first_; member != nullptr; member = member->next_of_thread_) {
        if (member->needs_looks()) {
            return true;
        }
    }
    return false;
}

void ThreadProgress::yield() noexcept {
    const std::chrono::nanoseconds before = clock_now();
    if (!turns_.keeps_cpu(before)) {
        std::this_thread::yield();
        turns_.note(before, clock_now());
    }
}

void ThreadProgress::progress() {
    for (Outstanding* member = first_; member != nullptr;) {
        Outstanding* const next = member->next_of_thread_; // this one may have nothing left
        member->progress();
        member = next;
    }
}

void ThreadProgress::look_after(bool takes_long, const OutstandingCall* awaited) {
    for (Outstanding* member = first_; member != nullptr;) {
        Outstanding* const next = member->next_of_thread_;
        member->look_after(takes_long, awaited);
        member = next;
    }
}

namespace {

/// As long as it exists, the thread waits for that operation.
class Awaiting : Immovable {
public:
    Awaiting(const OutstandingCall*& place, const OutstandingCall* awaited)
        : place_(place), before_(std::exchange(place, awaited)) {}
    ~Awaiting() { place_ = before_; }

private:
    const OutstandingCall*& place_;
    const OutstandingCall* before_;
};

} // namespace

void ThreadProgress::progress_until(const std::function<bool()>& ready, const char* caller,
                                    const OutstandingCall* awaited, std::chrono::nanoseconds end) {
    const auto is_done = [&] { return ready() || (end != no_end && clock_now() >= end); };
    const auto has_news = [&] {
        progress();
        return is_empty() || has_continuations() || is_done();
    };
    const auto check = [&](bool takes_long) { look_after(takes_long, awaited); };
    const Awaiting awaiting(awaited_, end == no_end ? awaited : nullptr);
    failed_ = nullptr;
    for (call_continuations(); !is_done(); call_continuations()) {
        if (is_empty() && failed_ != nullptr) {
            std::rethrow_exception(failed_->failure());
        }
        if (is_empty()) {
            throw Error(std::string(caller) +
                        ": the calling thread has no outstanding operation that could make "
                        "it ready; requests of an AsyncGroup must be waited for one by one, "
                        "with wait()");
        }
        const mailbox::WaitPolicy wait_policy = first_->wait_policy();
        const mailbox::Waiter waiter{wait_history_, first_->cpus()};
        const auto wait_on = [&](auto& event) {
            EndingEventCount ending(event, end);
            mailbox::progress_until(has_news, check, ending, wait_policy, waiter);
        };
        if (first_->next_of_thread_ == nullptr && !first_->needs_looks()) {
            wait_on(first_->event());
        } else {
            PolledEventCount polled(first_->event(), *this);
            wait_on(polled);
        }
    }
}

void ThreadProgress::call_continuations() {
    while (has_continuations()) {
        ready_.pop().call_continuation();
    }
}

} // namespace tutti::engine

namespace tutti::inline TUTTI_NAMESPACE {

void progress_until(const std::function<bool()>& ready) {
    if (!ready) {
        throw ArgumentError("progress_until: `ready` is empty");
    }
    detail::progress_until("progress_until", ready);
}

void detail::progress_until(const char* caller, const std::function<bool()>& ready) {
    engine::ThreadProgress::here().progress_until(ready, caller);
}

bool detail::has_ended(RequestBase& request) {
    try {
        return request.test();
    } catch (...) {
        if (std::current_exception() == nullptr || !request.is_over()) {
            throw; // the thread is being ended, or the use of the request is rejected
        }
        return true;
    }
}

} // namespace tutti::inline TUTTI_NAMESPACE
