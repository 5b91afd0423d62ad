#pragma once

#include "atomic.hpp"
#include "group/channels.hpp"
#include "group/member_status.hpp"
#include "mailbox/last_cpu.hpp"
#include "mailbox/mailbox.hpp"
#include "mailbox/zero_pages.hpp"

#include <tutti/detail/export.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace tutti::engine {

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
    std::unique_lock<std::mutex> hold_channels() { return std::unique_lock(channels_mutex_); }
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
    std::mutex channels_mutex_;
    std::unique_ptr<Channels> channels_;
    Atomic<Channels*> channels_shown_{nullptr};
};

} // namespace tutti::engine
