#pragma once

#include "call/plans/schedules.hpp"
#include "choose/bindings.hpp"
#include "choose/group_config.hpp"
#include "group/diagnosis.hpp"
#include "group/family.hpp"
#include "group/seats.hpp"
#include "group/shared_memory.hpp"
#include "immovable.hpp"
#include "mailbox/wait.hpp"
#include "record/recorder.hpp"
#include "record/trace_file.hpp"
#include "wait/failure.hpp"
#include "wait/own_process.hpp"

#include <tutti/detail/export.hpp>
#include <tutti/options.hpp>
#include <tutti/statistics.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::engine {
struct Trials;
}

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// Everything the members of a group share.
class GroupState : public std::enable_shared_from_this<GroupState>, Immovable {
public:
    TUTTI_COMPONENT_API GroupState(int members, engine::GroupConfig config,
                                   engine::MakeDiagnosis make_diagnosis);
    TUTTI_COMPONENT_API ~GroupState();

    /// A group for some of the members of this one, with the same options. `mates` are their ranks here, in
    /// the order of the new group, which learns of failures of this one and of those that this one was made
    /// of.
    std::shared_ptr<GroupState> of_mates(const std::vector<int>& mates) { return of_mates(mates, {}); }
    /// Makes `group` a group of these members, before it makes calls; derived if `derived` has the ranks.
    /// Throws Aborted if this group has failed.
    TUTTI_COMPONENT_API void adopt(const std::shared_ptr<GroupState>& group, const std::vector<int>& mates,
                                   const std::optional<engine::Progression>& derived = {});

    /// The group of these ranks of this one: made by the first member that needs it, and kept until this
    /// group ends or recovers from a failure. By any thread.
    std::shared_ptr<GroupState> derived(const engine::Progression& ranks);

    /// The group that a member of this one has founded and still holds. Throws Aborted if it holds it no
    /// longer, as it does only when this group has failed.
    std::shared_ptr<GroupState> founded(const GroupState* group);

    int size() const { return memory_.members(); }
    Seat& seat(int rank) { return seats_[rank]; }
    engine::Seats& seats() { return seats_; }
    engine::SharedMemory& memory() { return memory_; }
    engine::Family& family() { return family_; }
    engine::Failure& failure() { return failure_; }
    const mailbox::WaitPolicy& wait_policy() const {
        return bindings_.cpus() < size() ? crowded_wait_policy_ : roomy_wait_policy_;
    }
    const engine::GroupConfig& config() const { return config_; }
    /// The timeout of calls without their own; 0: none. See Group::set_timeout. By any thread.
    std::chrono::milliseconds timeout() const {
        return timeout_.load(std::memory_order_relaxed); // orders nothing
    }
    void set_timeout(Timeout timeout);
    /// Throws Error in a child of fork().
    void require_own_process() const { process_.require("the group"); }
    /// The members' measurements of algorithms and the choices learnt from them.
    engine::Trials& trials() { return *trials_; }
    /// The members' records of their calls; null if nothing is recorded.
    const engine::Recorder* recorder() const { return recorder_.get(); }

    /// See Seats::take. Throws Error in a child of fork().
    TUTTI_COMPONENT_API void take_seat(int rank);

    engine::Diagnosis& diagnosis() { return *diagnosis_; }

    /// See Group::trace and Group::statistics. Throw Error if nothing is recorded. By any thread.
    std::string trace(TraceFormat format) const;
    Statistics statistics() const;

    /// Looks where the calling thread, which has taken a seat, may run, unless it was the last to sit there.
    void note_binding(int rank) noexcept;
    /// The same in a wait that takes long, but not often: programs also pin threads that have joined, and the
    /// CPUs of a process may become fewer.
    void note_binding_again(int rank) noexcept;

    /// How members wait now, and why. By any thread.
    std::string text_of_waits() const;

    /// Records a failure and wakes everybody, here, in the groups made of this one, and in the group that it
    /// is derived from.
    void fail(int member, const std::exception_ptr& cause) noexcept;
    /// The same for a failure that was reported to set_failure_hook()'s function before.
    TUTTI_COMPONENT_API void fail_reported(int member, const std::exception_ptr& cause) noexcept;

    /// Lasts until the end of the process.
    void keep_for_good() noexcept;

    /// Whether the member makes no more calls here: it has left for good, this group, the group that this one
    /// is derived from, or the first that this one was made of. Acquire: whatever it published came before.
    bool has_left_for_good(int member) const;
    /// Whether a call of `member`, the caller, waits in vain for `other`, which has left for good, or has
    /// left the region. Acquire: as above.
    bool has_left(int member, int other) const;

    /// See Seats::require_joined(). The members of a derived group join the group that it is derived from.
    void require_joined(int member, int peer);

    /// Ends a call of `member` that has failed: returns when nobody is in a call any more, since the others
    /// may read and write the member's vectors until they have noticed.
    void leave_failed_call(int member);

    /// Makes the group of a team usable again after a failure. Only while no member is in a call.
    void recover();

    engine::Schedules& schedules() { return schedules_; }

private:
    trace::Timeline timeline() const;

    std::shared_ptr<GroupState> of_mates(const std::vector<int>& mates,
                                         const std::optional<engine::Progression>& derived);

    /// `peer`: see Failure::raise().
    void fail(int member, const std::exception_ptr& cause, int peer) noexcept;
    void report_failure(int member, const std::exception_ptr& cause) noexcept;
    /// The same, of this group alone.
    void release_all(int member, const std::exception_ptr& cause, int peer, const char* whose) noexcept;

    const engine::GroupConfig config_;
    std::atomic<std::chrono::milliseconds> timeout_{config_.timeout};
    engine::Bindings bindings_;
    mailbox::WaitPolicy roomy_wait_policy_;
    mailbox::WaitPolicy crowded_wait_policy_;
    engine::Failure failure_;
    std::atomic_flag stuck_is_told_;
    engine::SharedMemory memory_;
    std::unique_ptr<engine::Recorder> recorder_;
    engine::Schedules schedules_;
    std::unique_ptr<engine::Trials> trials_;
    engine::Seats seats_;
    const engine::OwnProcess process_;
    std::shared_ptr<GroupState> itself_;
    GroupState* next_kept_ = nullptr;
    engine::Family family_;
    std::mutex deriving_;
    std::vector<std::shared_ptr<GroupState>> derived_;
    /// The last members: they refer to the others.
    std::optional<engine::TraceListed> traced_;
    engine::MakeDiagnosis make_diagnosis_;
    std::unique_ptr<engine::Diagnosis> diagnosis_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::detail
