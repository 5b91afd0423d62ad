#pragma once

#include "choose/group_config.hpp"
#include "group/seat.hpp"
#include "group/shared_memory.hpp"
#include "wait/failure.hpp"

#include <tutti/observe.hpp>
#include <tutti/options.hpp>

#include <functional>

namespace tutti::library {

struct Trials;

/// A member that waits for another one, in a call of a sequence.
struct Stall {
    Sequence sequence = Sequence::blocking;
    /// The number of the call in that sequence, from 1 on; 0 if that is not known.
    std::uint64_t number = 0;
    int member = 0;
    int peer = 0;
};

/// Finds faults in the calls of a group from outside the calls. Calls use this interface and do not depend on
/// diagnose/, which implements it. Any member may use it at any time.
class Diagnosis : Immovable {
public:
    virtual ~Diagnosis() = default;

    using IsReady = std::function<bool()>;

    /// A slow look of a waiting member. Throws MismatchError if the logs show that the two make different
    /// calls, make calls in another order or, if the member `is_stuck`, wait for each other. If the awaited
    /// call came in the meantime, as `is_ready` shows, it is no mismatch.
    virtual void check(const Stall& stall, bool is_stuck, const IsReady& is_ready) = 0;
    /// Why a member has waited too long, and where each member is.
    virtual std::string delay(const Stall& stall, std::chrono::milliseconds waited) = 0;
    /// Throws TimeoutError, unless `is_ready` became true while the text was made.
    TUTTI_COMPONENT_API void time_out(const Stall& stall, std::chrono::milliseconds timeout,
                                      const IsReady& is_ready);
    /// Logs that a member waits for long.
    void report_wait(const Stall& stall, std::chrono::milliseconds waited) noexcept;
    /// Throws MismatchError because the peer is known to be in another call.
    [[noreturn]] virtual void throw_different(const Stall& stall) = 0;
    /// Throws MismatchError because the peer has left for good, without this call or in another one.
    [[noreturn]] virtual void throw_absent(const Stall& stall) = 0;
    /// Throws MismatchError because a run has found a fault in the words that the peer shows, in the call
    /// that makes this signature, whose vectors are bound so.
    [[noreturn]] virtual void throw_fault(const Stall& stall, run::Fault fault,
                                          const CallSignature& signature, const run::Prepared& prepared,
                                          const run::Bindings& bindings) = 0;
    /// Takes a snapshot of the members if the last one is older than that, so that a timeout can report which
    /// members have moved since.
    virtual void take_snapshot(std::chrono::milliseconds age) = 0;

    /// Reports why the others do not learn of a failure: this member is inside its call.
    virtual void report_stuck(int inside) noexcept = 0;
    /// The text if members have returned from different calls in which none of them waited for the others to
    /// notice; else empty. Only while no member is in a call.
    virtual std::string disagreement() const = 0;
    /// See Group::roll_call. By any thread.
    virtual std::string roll_call(RollCallFormat format) = 0;
    /// Has a signal write a roll call as well, if the environment requests it.
    virtual void list_for_roll_calls() = 0;

protected:
    /// The rank of a member for users.
    virtual int rank_of(int member) const { return member; }
};

/// Makes the diagnosis of a group. The maker of a group passes it, and the group passes it on to the groups
/// made of it.
using MakeDiagnosis = std::function<std::unique_ptr<Diagnosis>(detail::GroupState& group)>;

/// The seats of a group, and which threads that join sit there.
class Seats {
public:
    Seats(const Failure& failure, SharedMemory& memory, std::chrono::milliseconds join_timeout)
        : failure_(failure), memory_(memory), join_timeout_(join_timeout) {}
    /// Makes the seats. Once.
    void make(detail::GroupState& group, int members);

    int size() const { return static_cast<int>(seats_.size()); }
    detail::Seat& operator[](int rank) { return *seats_[static_cast<std::size_t>(rank)]; }
    const std::vector<std::unique_ptr<detail::Seat>>& all() const { return seats_; }

    /// Threads join to be the members. Before anybody does.
    void expect_joins() { members_join_ = true; }
    bool members_join() const { return members_join_; }

    /// Takes a seat for the calling thread. The number of the region that begins with that. Throws Aborted if
    /// the group has failed, and ArgumentError if the seat is taken.
    std::int64_t take(int rank);

    /// Throws an Error that names the seats that nobody has ever taken, where `member`, which has joined, has
    /// waited too long for one of them to be `peer`.
    void require_joined(int member, int peer);

private:
    [[noreturn]] void throw_refused(int rank) const;

    const Failure& failure_;
    SharedMemory& memory_;
    std::vector<std::unique_ptr<detail::Seat>> seats_;
    JoinTimeout join_timeout_;
    bool members_join_ = false;
};

} // namespace tutti::library

namespace tutti::v0_1::detail {

/// Everything the members of a group share.
class GroupState : public std::enable_shared_from_this<GroupState>, Immovable {
public:
    TUTTI_COMPONENT_API GroupState(int members, library::GroupConfig config,
                                   library::MakeDiagnosis make_diagnosis);
    TUTTI_COMPONENT_API ~GroupState();

    /// A group for some of the members of this one, with the same options. `mates` are their ranks here, in
    /// the order of the new group, which learns of failures of this one and of those that this one was made
    /// of.
    std::shared_ptr<GroupState> of_mates(const std::vector<int>& mates) { return of_mates(mates, {}); }
    /// Makes `group` a group of these members, before it makes calls; derived if `derived` has the ranks.
    /// Throws Aborted if this group has failed.
    TUTTI_COMPONENT_API void adopt(const std::shared_ptr<GroupState>& group, const std::vector<int>& mates,
                                   const std::optional<library::Progression>& derived = {});

    /// The group of these ranks of this one: made by the first member that needs it, and kept until this
    /// group ends or recovers from a failure. By any thread.
    std::shared_ptr<GroupState> derived(const library::Progression& ranks);

    /// The group that a member of this one has founded and still holds. Throws Aborted if it holds it no
    /// longer, as it does only when this group has failed.
    std::shared_ptr<GroupState> founded(const GroupState* group);

    int size() const { return memory_.members(); }
    Seat& seat(int rank) { return seats_[rank]; }
    library::Seats& seats() { return seats_; }
    library::SharedMemory& memory() { return memory_; }
    library::Family& family() { return family_; }
    library::Failure& failure() { return failure_; }
    const mailbox::WaitPolicy& wait_policy() const {
        return bindings_.cpus() < size() ? crowded_wait_policy_ : roomy_wait_policy_;
    }
    const library::GroupConfig& config() const { return config_; }
    /// Whether a member that has waited so long is the first that must report it.
    bool must_report_wait(std::chrono::milliseconds waited) noexcept {
        return waited >= config_.report_after && !wait_is_reported_.test_and_set(std::memory_order_relaxed);
    }
    /// The timeout of calls without their own; 0: none. See Group::set_timeout. By any thread.
    std::chrono::milliseconds timeout() const {
        return timeout_.load(std::memory_order_relaxed); // orders nothing
    }
    void set_timeout(Timeout timeout);
    /// Throws Error in a child of fork().
    void require_own_process() const { process_.require("the group"); }
    /// The members' measurements of algorithms and the choices learnt from them.
    library::Trials& trials() { return *trials_; }
    /// The members' records of their calls; null if nothing is recorded.
    const library::Recorder* recorder() const { return recorder_.get(); }

    /// See Seats::take. Throws Error in a child of fork().
    TUTTI_COMPONENT_API void take_seat(int rank);

    library::Diagnosis& diagnosis() { return *diagnosis_; }

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

    /// Lasts until the end of the process. If it `is_in_use` by a thread that may look at it at any time, it
    /// does not recover.
    void keep_for_good(bool is_in_use = false) noexcept;

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

    library::Schedules& schedules() { return schedules_; }

private:
    trace::Timeline timeline() const;

    std::shared_ptr<GroupState> of_mates(const std::vector<int>& mates,
                                         const std::optional<library::Progression>& derived);

    /// `peer`: see Failure::raise().
    void fail(int member, const std::exception_ptr& cause, int peer) noexcept;
    void report_failure(int member, const std::exception_ptr& cause) noexcept;
    /// The same, of this group alone.
    void release_all(int member, const std::exception_ptr& cause, int peer, const char* whose) noexcept;

    const library::GroupConfig config_;
    std::atomic<std::chrono::milliseconds> timeout_{config_.timeout};
    library::Bindings bindings_;
    mailbox::WaitPolicy roomy_wait_policy_;
    mailbox::WaitPolicy crowded_wait_policy_;
    library::Failure failure_;
    std::atomic_flag stuck_is_told_;
    std::atomic_flag wait_is_reported_; // relaxed: chooses the member that reports
    library::SharedMemory memory_;
    std::unique_ptr<library::Recorder> recorder_;
    library::Schedules schedules_;
    std::unique_ptr<library::Trials> trials_;
    library::Seats seats_;
    const library::OwnProcess process_;
    std::shared_ptr<GroupState> itself_;
    GroupState* next_kept_ = nullptr;
    bool is_in_use_ = false;
    library::Family family_;
    library::GroupMutex deriving_;
    std::vector<std::shared_ptr<GroupState>> derived_;
    /// The last members: they refer to the others.
    std::optional<library::TraceListed> traced_;
    library::MakeDiagnosis make_diagnosis_;
    std::unique_ptr<library::Diagnosis> diagnosis_;
};

} // namespace tutti::v0_1::detail

namespace tutti::library {

/// One look of a waiting member.
struct StallCheck {
    /// Whether it may take the time to read the peer's calls.
    bool takes_long;
    /// The number of the run's operation.
    std::uint64_t number;
    /// Whether the member can do nothing before that has got on.
    bool is_stuck;
};

/// Looks whether a run of `member` waits for something that can still come, and throws the error if not: the
/// group has failed, or the peer is in another call, or gone, or has not joined in time, or the call has
/// waited longer than it may: `waited` counts that, and the member shows it. Returns whether the run may stop
/// waiting, since it waits for no more than that a member has left an operation before, which it has if it is
/// gone.
template <class Runner>
bool check_stalled(detail::GroupState& group, Sequence sequence, int member, const Runner& runner,
                   WaitTimer& waited, const StallCheck& asked) {
    if (group.failure().raised()) {
        group.failure().throw_aborted();
    }
    const int peer = runner.peer();
    const auto is_ready = [&runner] { return runner.is_ready(); };
    const Stall stall{sequence, asked.number, member, peer};
    Diagnosis& diagnosis = group.diagnosis();
    if (asked.takes_long) {
        group.require_own_process();
        group.note_binding_again(member);
        group.require_joined(member, peer);
        diagnosis.check(stall, asked.is_stuck && !runner.waits_for_slots(), is_ready);
        waited.look();
        group.memory().status(member).wait.show(
            {.sequence = sequence, .number = asked.number, .peer = peer, .since = waited.since()});
        if (waited.is_over() && !runner.is_ready()) {
            diagnosis.time_out(stall, waited.timeout(), is_ready);
        }
        if (waited.is_half_over()) {
            diagnosis.take_snapshot(waited.timeout());
        }
        if (group.must_report_wait(waited.milliseconds())) {
            diagnosis.report_wait(stall, group.config().report_after);
        }
    }
    const bool is_gone = group.has_left(member, peer);
    if (runner.waits_for_slots()) {
        return is_gone;
    }
    if (runner.meets_another_call()) {
        diagnosis.throw_different(stall);
    }
    if (is_gone && !runner.is_ready()) {
        if (group.failure().raised()) { // which is why it is away
            group.failure().throw_aborted();
        }
        diagnosis.throw_absent(stall);
    }
    return false;
}

} // namespace tutti::library
