#include "wait/thread_progress.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/request_base.hpp>
#include <tutti/error.hpp>
#include <tutti/request.hpp>

#include <thread>

namespace tutti::library {

std::optional<Sequence> difference(const Outstanding* one, const Outstanding* other) {
    const Outstanding::Calls own = one == nullptr ? Outstanding::Calls{} : one->calls();
    const Outstanding::Calls theirs = other == nullptr ? Outstanding::Calls{} : other->calls();
    if (own.started != theirs.started || own.history != theirs.history) {
        return Sequence::nonblocking;
    }
    const bool same = own.persistent == theirs.persistent &&
                      own.persistent_history == theirs.persistent_history && own.restarts == theirs.restarts;
    return same ? std::nullopt : std::optional(Sequence::persistent);
}

thread_local constinit ThreadProgress ThreadProgress::current;

std::uint64_t ThreadProgress::give_id() noexcept {
    static std::atomic<std::uint64_t> threads{0};
    return id_ = threads.fetch_add(1, std::memory_order_relaxed) + 1; // relaxed: only unique
}

void ThreadProgress::add(Outstanding& member) noexcept {
    members_.push(member);
    ++member_count_;
}

void ThreadProgress::remove(Outstanding& member) noexcept {
    members_.remove(member);
    --member_count_;
}

bool ThreadProgress::has_only(const Outstanding& member) const {
    return member_count_ == 1 && members_.first() == &member && !has_continuations();
}

bool ThreadProgress::needs_looks() const {
    return members_.any_of([](const Outstanding& member) { return member.needs_looks(); });
}

/// Looks at each member once, in turn. An operator that runs meanwhile may add and remove members.
template <class Look>
void ThreadProgress::look_at_all(Look look) {
    for (std::size_t looks = member_count_; looks > 0 && !members_.is_empty(); --looks) {
        Outstanding& member = members_.pop();
        members_.push(member);
        look(member);
    }
}

void ThreadProgress::yield() noexcept {
    const std::chrono::nanoseconds before = clock_now();
    if (!turns_.keeps_cpu(before)) {
        std::this_thread::yield();
        turns_.note(before, clock_now());
    }
}

void ThreadProgress::progress() {
    look_at_all([](Outstanding& member) { member.progress(); });
}

void ThreadProgress::look_after(bool takes_long, const OutstandingCall* awaited) {
    look_at_all([&](Outstanding& member) { member.look_after(takes_long, awaited); });
}

void ThreadProgress::progress_until(const std::function<bool()>& ready, const char* function,
                                    const Watch* awaited, std::chrono::nanoseconds end) {
    const auto is_done = [&] { return ready() || (end != no_end && clock_now() >= end); };
    Wait wait(*this, awaited);
    const auto has_news = [&] {
        progress();
        // An operator may have destroyed the member at whose event the thread waits.
        return members_.first() != wait.waits_at || has_continuations() || is_done();
    };
    const auto check = [&](bool takes_long) {
        look_after(takes_long, awaited != nullptr ? awaited->operation() : nullptr);
    };
    for (call_continuations(); !is_done(); call_continuations()) {
        if (is_empty() && wait.failure != nullptr) {
            std::rethrow_exception(wait.failure);
        }
        if (is_empty()) {
            throw Error(std::string(function) +
                        ": the calling thread has no outstanding operation that could make "
                        "it ready; requests that other threads complete must be waited "
                        "for one by one, with wait()");
        }
        Outstanding* const first = members_.first();
        wait.waits_at = first;
        const mailbox::WaitPolicy wait_policy = first->wait_policy();
        const mailbox::Waiter waiter{wait_history_, first->cpus()};
        const auto wait_on = [&](auto& event) {
            EndingEventCount ending(event, end);
            mailbox::progress_until(has_news, check, ending, wait_policy, waiter);
        };
        if (member_count_ == 1 && !first->needs_looks()) {
            wait_on(first->event());
        } else {
            PolledEventCount polled(first->event(), *this);
            wait_on(polled);
        }
        wait.waits_at = nullptr;
    }
}

void ThreadProgress::call_continuations() {
    while (has_continuations()) {
        ready_.pop().call_continuation();
    }
}

bool ThreadProgress::forget(const Outstanding& member) noexcept {
    for (Calling* calling = calling_; calling != nullptr; calling = calling->outer_) {
        calling->member_ = calling->member_ == &member ? nullptr : calling->member_;
    }
    const Wait* wait = wait_;
    while (wait != nullptr && wait->waits_at != &member) {
        wait = wait->outer();
    }
    return wait == nullptr;
}

} // namespace tutti::library

namespace tutti::v0_1 {

void progress_until(const std::function<bool()>& ready) {
    if (!ready) {
        throw ArgumentError("progress_until: `ready` is empty");
    }
    detail::progress_until("progress_until", ready);
}

bool detail::hold_continuations(bool holds) noexcept {
    return library::ThreadProgress::here().hold(holds);
}

void detail::call_continuations() {
    library::ThreadProgress::here().call_continuations();
}

void detail::progress_until(const char* function, const std::function<bool()>& ready) {
    library::ThreadProgress::here().progress_until(ready, function);
}

bool detail::has_ended(RequestBase& request) {
    return as_one_call([&] { // a continuation may destroy the request
        try {
            return request.test();
        } catch (...) {
            if (std::current_exception() == nullptr || !request.is_over()) {
                throw; // the thread is being ended, or the use of the request is rejected
            }
            return true;
        }
    });
}

} // namespace tutti::v0_1
