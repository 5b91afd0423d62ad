#pragma once

#include "immovable.hpp"
#include "intrusive_queue.hpp"
#include "mailbox/event_count.hpp"
#include "mailbox/wait.hpp"
#include "wait/long_turns.hpp"
#include "wait/outstanding.hpp"
#include "wait/wait_timer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace tutti::engine {

class OutstandingCall;

/// The outstanding operations of the calling thread, of whichever members: all of them progress while the
/// thread waits for any of them, or in a call that blocks. Trivial, so that a thread has it without a
/// constructor.
class ThreadProgress {
public:
    static ThreadProgress& here() noexcept { return current; }
    /// A number that no other thread of the process has or has had, unlike the address of this.
    std::uint64_t id() noexcept { return id_ != 0 ? id_ : give_id(); }

    /// A member that has outstanding operations.
    void add(Outstanding& member) noexcept;
    void remove(Outstanding& member) noexcept;
    bool is_empty() const { return first_ == nullptr; }
    /// Whether something gets on only if the thread looks.
    bool needs_looks() const;
    /// Whether there is nothing of other members, and nothing to be called.
    TUTTI_COMPONENT_API bool has_only(const Outstanding& member) const;

    void note_failure(const Outstanding& member) noexcept { failed_ = &member; }

    /// One look at everything.
    TUTTI_COMPONENT_API void progress();
    /// Ends operations that can no longer be waited for; arguments as of a member.
    void look_after(bool takes_long, const OutstandingCall* awaited = nullptr);
    /// Makes everything progress until ready(), which only the end of `awaited` makes true if that is not
    /// null, or until `end` of clock_now(). If nothing is left that could make it true, throws the exception
    /// that has ended an operation meanwhile, or else Error.
    void progress_until(const std::function<bool()>& ready, const char* caller = "progress_until",
                        const OutstandingCall* awaited = nullptr, std::chrono::nanoseconds end = no_end);

    /// The continuations of operations that are over are called when no call is under way.
    void add_continuation(Continued& operation) noexcept { ready_.push(operation); }
    void remove_continuation(Continued& operation) noexcept { ready_.remove(operation); }
    const mailbox::WaitHistory& wait_history() const { return wait_history_; }
    bool has_continuations() const { return !ready_.is_empty() && !holds_continuations_; }
    /// As long as it exists, nothing is called: for a call that consists of several calls. An operator may
    /// make another call of this kind meanwhile, whose end must not end the hold of the outer call.
    class Hold : Immovable {
    public:
        explicit Hold(ThreadProgress& thread)
            : thread_(thread), before_(std::exchange(thread.holds_continuations_, true)) {}
        ~Hold() { thread_.holds_continuations_ = before_; }

    private:
        ThreadProgress& thread_;
        bool before_;
    };
    /// Gives other threads the CPU, unless that has lately taken long.
    void yield() noexcept;
    TUTTI_COMPONENT_API void call_continuations();

    /// The operation for which the thread waits, however long that takes; or null.
    const OutstandingCall* awaited() const { return awaited_; }

    /// Whether a wait that is recorded is under way.
    bool waits() const { return waits_; }
    void waits(bool waits) { waits_ = waits; }

private:
    std::uint64_t give_id() noexcept;

    /// With the compiler's model of thread-local variables. With "initial-exec" the shared library would need
    /// static memory of every thread: musl then refuses to load it late, and glibc has little for such
    /// libraries. A shared library so finds it by a call; only a blocking call that has to wait does that.
    TUTTI_COMPONENT_API static thread_local constinit ThreadProgress current;

    Outstanding* first_ = nullptr;
    /// The last of those that have failed; only while somebody waits.
    const Outstanding* failed_ = nullptr;
    IntrusiveQueue<Continued> ready_;
    std::uint64_t id_ = 0;
    const OutstandingCall* awaited_ = nullptr;
    bool waits_ = false;
    bool holds_continuations_ = false;
    LongTurns turns_;
    mailbox::WaitHistory wait_history_;
};

/// The event count of one member, for a thread that waits for other members as well: it never sleeps for
/// long, and not at all where something gets on only if the thread looks.
class PolledEventCount {
public:
    PolledEventCount(mailbox::EventCount& event, ThreadProgress& thread) : event_(event), thread_(thread) {}

    template <class Ready>
    void sleep(Ready&& ready, std::int64_t bound_ns) {
        if (thread_.needs_looks()) {
            thread_.yield();
        } else {
            event_.sleep(std::forward<Ready>(ready), std::min(bound_ns, most_ns));
        }
    }

private:
    static constexpr std::int64_t most_ns = 100'000;
    mailbox::EventCount& event_;
    ThreadProgress& thread_;
};

} // namespace tutti::engine
