#pragma once

#include "atomic.hpp"
#include "cache_line.hpp"
#include "call/plans/schedules.hpp"
#include "choose/group_config.hpp"
#include "group/channels.hpp"
#include "group/diagnosis.hpp"
#include "group/member_status.hpp"
#include "group/seat.hpp"
#include "mailbox/event_count.hpp"
#include "mailbox/slot.hpp"
#include "mailbox/wait.hpp"
#include "mailbox/zero_pages.hpp"
#include "record/recorder.hpp"
#include "record/trace_file.hpp"
#include "wait/failure.hpp"
#include "wait/join_deadline.hpp"

#include <tutti/detail/export.hpp>
#include <tutti/options.hpp>
#include <tutti/statistics.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::detail {

/// Everything the members of a group share.
class GroupState : public std::enable_shared_from_this<GroupState> {
public:
    TUTTI_COMPONENT_API GroupState(int members, execute::GroupConfig config,
                                   execute::MakeDiagnosis make_diagnosis);
    TUTTI_COMPONENT_API ~GroupState();
    GroupState(const GroupState&) = delete;
    GroupState& operator=(const GroupState&) = delete;
    GroupState(GroupState&&) = delete;
    GroupState& operator=(GroupState&&) = delete;

    /// A group for some of the members of this one, with the same options. `mates` are their ranks here, in
    /// the order of the new group, which learns of failures of this one and of those that this one was made
    /// of.
    std::shared_ptr<GroupState> of_mates(const std::vector<int>& mates);

    /// The group that a member of this one has founded and still holds. Throws Aborted where it holds it no
    /// longer, as it does only when this group has failed.
    std::shared_ptr<GroupState> founded(const GroupState* group);

    int size() const { return static_cast<int>(seats_.size()); }
    Seat& seat(int rank) { return *seats_[static_cast<std::size_t>(rank)]; }
    mailbox::Board& board(int rank) const { return mailbox_.board(rank); }
    execute::MemberStatus& status(int rank) { return statuses_[rank]; }
    const execute::MemberStatus& status(int rank) const { return statuses_[rank]; }
    const mailbox::Mailbox& mailbox() const { return mailbox_; }
    /// For what its members have outstanding. Made on first use; null before that.
    execute::Channels& channels();
    execute::Channels* channels_if_any() const {
        return channels_shown_.load(std::memory_order_acquire); // acquire: pairs with who makes them
    }
    /// While it lives, channels last: for who is no member.
    std::unique_lock<std::mutex> hold_channels() { return std::unique_lock(channels_mutex_); }
    execute::Failure& failure() { return failure_; }
    /// Relaxed: a hint, and rarely written.
    const mailbox::WaitPolicy& wait_policy() const {
        return is_crowded_.load(std::memory_order_relaxed) ? crowded_wait_policy_ : config_.wait_policy;
    }
    const execute::GroupConfig& config() const { return config_; }
    /// What the members record of their calls; null where that is nothing.
    const execute::Recorder* recorder() const { return recorder_.get(); }

    /// Threads join to be its members. Before anybody does.
    void expect_joins() { members_join_ = true; }
    bool members_join() const { return members_join_; }

    /// Takes a seat for the calling thread. Throws ArgumentError when it is taken, and Aborted when the
    /// region to which the seat comes has failed before. Waits until those have left who were there when the
    /// group failed: the first to come after that makes it usable again. Throws Aborted as well when they do
    /// not leave for `longest_leave`: then what would have been the next region has failed for everybody.
    TUTTI_COMPONENT_API void take_seat(int rank);
    static constexpr std::chrono::milliseconds longest_leave{1000};

    execute::Diagnosis& diagnosis() { return *diagnosis_; }

    /// See Group::trace and Group::statistics. Throw Error where nothing is recorded. By any thread.
    std::string trace(TraceFormat format) const;
    Statistics statistics() const;

    /// Throws an Error that names the seats that nobody has ever taken, where `member`, which has joined, has
    /// waited too long for one of them to be `peer`.
    void require_joined(int member, int peer);

    /// Whether it has failed and cannot be used yet: of a group that threads join, while some are still
    /// there.
    bool is_unusable();

    /// Gives a seat back that has been taken.
    TUTTI_COMPONENT_API void leave_seat(int rank);

    /// Looks where the calling thread, which has taken a seat, may run, unless it was the last to sit there.
    void note_binding(int rank) noexcept;

    /// Records a failure and wakes everybody, here and in the groups made of this one.
    TUTTI_COMPONENT_API void fail(int member, const std::exception_ptr& cause) noexcept;

    /// The member's rank in the group that this one was made of, through however many others; nothing where
    /// it was made of none.
    std::optional<int> rank_in_first(int member) const;

    /// Lasts until the end of the process.
    void keep_for_good() noexcept { itself_ = weak_from_this().lock(); }

    /// The member makes no more calls, which those learn that wait for it.
    void leave_for_good(int member) {
        // Release: pairs with has_left_for_good().
        status(member).left_for_good.store(true, std::memory_order_release);
        board(member).event.notify_if_needed();
        if (execute::Channels* const channels = channels_if_any()) {
            channels->event().notify_if_needed();
        }
    }

    /// Whether the member makes no more calls here: it has left for good, this group or the first that this
    /// one was made of. Acquire: whatever it published came before.
    bool has_left_for_good(int member) const;

    /// All members come again. Before the threads are started or woken that make their calls, which orders
    /// this. Writes to no page that its member has not written to, so that it comes to lie near the member.
    void expect_all() {
        for (int member = 0; member < size(); ++member) {
            if (status(member).left_for_good.load(std::memory_order_relaxed)) {
                status(member).left_for_good.store(false, std::memory_order_relaxed);
            }
        }
    }

    /// Ends a call of `member` that has failed: returns when nobody is in a call any more, since the others
    /// may read and write the member's vectors until they have noticed.
    void leave_failed_call(int member);

    /// Makes the group usable again after a failure. Only while no member is in a call.
    void recover();

    execute::Schedules& schedules() { return schedules_; }

private:
    trace::Timeline timeline() const;

    /// Throws Aborted to who comes to join and may not because of a failure, of which it tells.
    [[noreturn]] void throw_refused(int rank, const char* why) const;

    /// Begins anew after a failure, when all have left: lets every seat know how many regions it has missed.
    void begin_anew();

    /// As fail(), of this group alone.
    void release_all(int member, const std::exception_ptr& cause, const char* whose) noexcept;

    std::span<mailbox::Board> boards() const { return {&mailbox_.board(0), seats_.size()}; }

    execute::GroupConfig config_;
    /// Whether there are fewer CPUs for the members than members.
    std::atomic<bool> is_crowded_;
    mailbox::WaitPolicy crowded_wait_policy_;
    execute::Failure failure_;
    std::atomic_flag stuck_is_told_;
    /// Staging buffers, slots, boards and statuses.
    execute::ZeroPages pages_;
    mailbox::Mailbox mailbox_;
    execute::MemberStatus* statuses_;
    std::mutex channels_mutex_;
    std::unique_ptr<execute::Channels> channels_;
    Atomic<execute::Channels*> channels_shown_{nullptr};
    std::unique_ptr<execute::Recorder> recorder_;
    execute::Schedules schedules_;
    std::vector<std::unique_ptr<Seat>> seats_;
    /// Guards the seats' occupancy.
    std::mutex seats_mutex_;
    std::condition_variable seats_changed_;
    int taken_ = 0;
    execute::JoinDeadline join_deadline_;
    bool members_join_ = false;
    std::shared_ptr<GroupState> itself_;
    /// The groups that this one was made of, the first one first, and its members' ranks in that.
    std::vector<std::weak_ptr<GroupState>> ancestors_;
    std::vector<int> ranks_in_first_;
    /// The groups that were made of this one, and of those.
    std::mutex descendants_mutex_;
    std::vector<std::weak_ptr<GroupState>> descendants_;
    /// Of config_.bindings, which is all of the configuration that changes.
    std::mutex bindings_mutex_;
    /// The last members: they refer to the others.
    std::optional<execute::TraceListed> traced_;
    execute::MakeDiagnosis make_diagnosis_;
    std::unique_ptr<execute::Diagnosis> diagnosis_;
};

} // namespace tutti::detail
