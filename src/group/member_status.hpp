#pragma once

#include "atomic.hpp"
#include "cache_line.hpp"
#include "call/call_log.hpp"
#include "immovable.hpp"
#include "mailbox/cell.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace tutti::engine {

/// A slow wait of a member.
struct SlowWait {
    Sequence sequence = Sequence::blocking;
    /// The number of the operation in that sequence, from 1 on.
    std::uint64_t number = 0;
    int peer = 0;
    /// By clock_now().
    std::chrono::nanoseconds since{0};
};

/// The wait that a member shows. Relaxed: it is for users, and a reader that sees parts of two waits looks
/// again.
class ShownWait {
public:
    /// By the member.
    void show(const SlowWait& wait) noexcept {
        number_.put(wait.number);
        since_.put(static_cast<std::uint64_t>(wait.since.count()));
        whose_.put(static_cast<std::uint64_t>(wait.sequence) << sequence_shift |
                   (static_cast<std::uint64_t>(wait.peer) + 1));
    }
    void end() noexcept { whose_.put(0); }

    /// Nothing if the member does not wait, or not yet slowly.
    std::optional<SlowWait> read() const noexcept {
        const std::uint64_t whose = whose_.get();
        if (whose == 0) {
            return std::nullopt;
        }
        return SlowWait{.sequence = static_cast<Sequence>(whose >> sequence_shift),
                        .number = number_.get(),
                        .peer = static_cast<int>(whose & ((std::uint64_t{1} << sequence_shift) - 1)) - 1,
                        .since = std::chrono::nanoseconds(static_cast<std::int64_t>(since_.get()))};
    }

private:
    static constexpr unsigned sequence_shift = 32;

    mailbox::StdWord whose_;
    mailbox::StdWord number_;
    mailbox::StdWord since_;
};

/// The end of a wait, however it ends: nobody sees it any more.
class EndOfWait : Immovable {
public:
    explicit EndOfWait(ShownWait& wait) : wait_(wait) {}
    ~EndOfWait() { wait_.end(); }

private:
    ShownWait& wait_;
};

/// The state that a member shows for others to read only when something takes long or has gone wrong.
struct alignas(line_bytes) MemberStatus {
    /// The member's calls.
    CallLog log;
    ShownWait wait;
    /// The system's number of the thread that has come to the seat last, 0 if none. Relaxed: for people.
    std::atomic<int> thread{0};
    /// Whether the member has left for good and will not make any more calls.
    Atomic<bool> left_for_good{false};
    /// The number of the region that the member has joined last, and of the one that it has left last; 0:
    /// none. The two differ while a thread is the member. A team and a sub-group have no regions, because no
    /// thread joins them. The former relaxed: the latter orders what the threads of a seat do.
    std::atomic<std::int64_t> region{0};
    Atomic<std::int64_t> left_region{0};
    /// Whether a call of the member has failed since the group has been usable. Relaxed: for people.
    std::atomic<bool> has_failed{false};

    /// Whether a thread has ever joined to be this member.
    bool has_joined() const noexcept { return region.load(std::memory_order_relaxed) != 0; } // which lasts
};

} // namespace tutti::engine
