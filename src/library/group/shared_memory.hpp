#pragma once

#include "atomic.hpp"
#include "cache_line.hpp"
#include "call/call_signature.hpp"
#include "immovable.hpp"
#include "mailbox/mailbox.hpp"
#include "mailbox/slot.hpp"
#include "mailbox/wait.hpp"
#include "wait/failure.hpp"

#include <tutti/detail/export.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace tutti::library {

/// Bytes of the staging buffers, slots and boards of a mailbox: O(members log members).
std::size_t mailbox_bytes(int members, unsigned sets);

/// A mailbox in that many zero bytes, which equal the results of constructors, at the start of a page:
/// nothing touches them before their members do.
mailbox::Mailbox mailbox_in(std::byte* pages, int members, unsigned sets, const mailbox::StdWord& failed);

/// Bytes of staging buffers, slots, boards and statuses of a group: O(members log members).
std::size_t group_bytes(int members);

/// The part of its nonblocking calls, or of its persistent ones, that a member shows.
struct alignas(paired_lines_bytes) Starts {
    ShownCalls<StartLog> calls;
    /// For nonblocking calls: how many there were when the member last looked at its operations.
    mailbox::StdWord looked;
    /// For persistent calls: the operation that the member has started last, if it has not looked since; else
    /// 0. Relaxed: only people read it.
    mailbox::StdWord unseen;
    /// For nonblocking calls: a WaitForEdge of the member, in whichever sequence.
    mailbox::StdWord wait_for_edge;
};

/// A member that can do nothing before another member has made a call. This holds until that call is made, so
/// it is never withdrawn.
struct WaitForEdge {
    Sequence sequence = Sequence::blocking;
    std::uint64_t number = 0;
    int waits_for = 0;
};

/// A mailbox for one operation at a time: operations that are outstanding together have a channel each, so
/// that none waits for another.
class Channel {
public:
    /// `failed` is not 0 once the group has failed; `event` is notified whenever a member shows something.
    Channel(int members, const mailbox::StdWord& failed, mailbox::EventCount& event);

    const mailbox::ChannelMailbox& mailbox() const { return mailbox_; }

private:
    ZeroPages pages_;
    mailbox::ChannelMailbox mailbox_;
};

/// The channels of a group, each made on first use.
class Channels {
public:
    /// Nonblocking operations take these in turn, whatever becomes of those before.
    static constexpr std::size_t in_turn = 64;

    Channels(int members, const mailbox::StdWord& failed);

    Channel& nonblocking(std::size_t index);

    /// The channel of the operation that every member has prepared as its `number`-th, which lasts until all
    /// have dropped it.
    Channel& persistent(std::uint64_t number);
    void drop_persistent(std::uint64_t number);

    Starts& starts(Sequence sequence, int member) const {
        return starts_[2 * member + (sequence == Sequence::persistent ? 1 : 0)];
    }

    /// By the member.
    void show(int member, const WaitForEdge& wait_for_edge);
    /// The last one that a member has shown, of number 0 if none.
    WaitForEdge wait_for_edge(int member) const;

    /// Notified when a member publishes something in any channel.
    mailbox::EventCount& event() { return event_; }

private:
    struct PersistentChannel {
        std::unique_ptr<Channel> channel;
        int dropped = 0;
    };

    int members_;
    const mailbox::StdWord& failed_;
    alignas(paired_lines_bytes) mailbox::EventCount event_;
    alignas(paired_lines_bytes) GroupMutex mutex_;
    std::array<std::unique_ptr<Channel>, in_turn> nonblocking_;
    std::map<std::uint64_t, PersistentChannel> persistent_;
    ZeroPages starts_pages_;
    Starts* starts_;
};

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

/// The memory in which the members of a group show each other something: the mailbox, the channels and the
/// status of each member.
class SharedMemory {
public:
    /// `failed` is not 0 once the group has failed.
    SharedMemory(int members, const mailbox::StdWord& failed);

    int members() const { return members_; }
    const mailbox::Mailbox& mailbox() const { return mailbox_; }
    mailbox::Board& board(int member) const { return mailbox_.board(member); }
    std::span<mailbox::Board> boards() const {
        return {&mailbox_.board(0), static_cast<std::size_t>(members_)};
    }
    MemberStatus& status(int member) const { return statuses_[member]; }

    /// The CPUs of the members, and of a thread that waits for all of them.
    mailbox::LastCpus& last_cpus() { return last_cpus_; }
    const mailbox::LastCpus& last_cpus() const { return last_cpus_; }

    /// The channels of the members' outstanding operations. Made on first use; null before that.
    Channels& channels();
    Channels* channels_if_any() const {
        return channels_shown_.load(
            std::memory_order_acquire); // acquire: pairs with the release of channels()
    }
    /// While it lives, channels last: for a thread that is no member.
    std::unique_lock<GroupMutex> hold_channels() { return std::unique_lock(channels_mutex_); }
    /// Only while no member is in a call.
    void drop_channels();

    /// Wakes everybody.
    void notify_all();

    /// The member makes no more calls, which the members that wait for it see.
    TUTTI_COMPONENT_API void leave_for_good(int member);
    /// Acquire: whatever the member published came before.
    bool has_left_for_good(int member) const {
        return status(member).left_for_good.load(std::memory_order_acquire);
    }
    /// The calling thread becomes the member, for its next region. The number of that, from 1 on, or 0 if
    /// another thread is the member.
    std::int64_t enter_region(int member);
    /// The member leaves its region, which the members that are there and wait for it see.
    TUTTI_COMPONENT_API void leave_region(int member);
    /// Whether no thread is a member. Acquire: what those did that were came before.
    TUTTI_COMPONENT_API bool is_deserted() const;
    /// Whether `other` has left the region in which `member` is, or a later one. By the member. Acquire: as
    /// above.
    bool has_left_region_of(int member, int other) const {
        const std::int64_t left = status(other).left_region.load(std::memory_order_acquire);
        return left != 0 && left >= status(member).region.load(std::memory_order_relaxed);
    }
    /// All members come again. Before the threads are started or woken that make their calls, which orders
    /// this. Touches no page that its member has not written to, so that it comes to lie near the member:
    /// some kernels give a page its place even if it is only read.
    TUTTI_COMPONENT_API void expect_all();

private:
    void notify_of_leaving(int member);

    int members_;
    const mailbox::StdWord& failed_;
    /// Staging buffers, slots, boards and statuses.
    ZeroPages pages_;
    mailbox::Mailbox mailbox_;
    MemberStatus* statuses_;
    mailbox::LastCpus last_cpus_;
    /// Relaxed: the end of the members' run orders it.
    std::atomic<bool> any_left_for_good_{false};
    GroupMutex channels_mutex_;
    std::unique_ptr<Channels> channels_;
    Atomic<Channels*> channels_shown_{nullptr};
};

/// The calls of a member, as far as its log reaches. Any member may call this at any time: empty while the
/// member writes.
std::optional<CallHistory> history_of(const SharedMemory& memory, Sequence sequence, int member);

/// The number of the call that blocks that a member is in, or of the last one.
std::uint64_t last_blocking(const SharedMemory& memory, int member);

} // namespace tutti::library
