#pragma once

#include "cache_line.hpp"
#include "call/call_signature.hpp"
#include "call/known_call.hpp"
#include "call/plans.hpp"
#include "call/prepared_call.hpp"
#include "group/family.hpp"
#include "immovable.hpp"
#include "machine/pinning.hpp"
#include "mailbox/mailbox.hpp"
#include "record/recorder.hpp"
#include "run/bindings.hpp"
#include "run/cursor.hpp"
#include "run/word_exchange.hpp"
#include "wait/thread_progress.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/error.hpp>

#include <chrono>
#include <exception>
#include <string_view>
#include <utility>

namespace tutti::run {
enum class State : std::uint8_t;
}

namespace tutti::v0_1::detail {

class GroupState;

/// One member's own part of a group: touched only by the thread that sits in it. It holds the calls that it
/// has prepared, and runs them.
class alignas(line_bytes) Seat : Immovable {
public:
    Seat(GroupState& group, int rank, int members);
    ~Seat();

    int rank() const { return rank_; }
    int members() const { return plans_.members(); }
    GroupState& group() { return group_; }

    CalledFrom& called_from() { return called_from_; }
    const CalledFrom& called_from() const { return called_from_; }

    /// The member has come to the region with this number, which all have joined when they make its calls:
    /// calls of different regions are different calls.
    void enter_region(std::int64_t number) noexcept;
    /// Whether the calling thread, which has just taken the seat, is another than the one before.
    bool is_new_here();
    /// Whether the calling thread has been bound to other CPUs. Looks at most ten times a second.
    bool has_been_rebound() noexcept;
    /// Has that begin with the present binding.
    void watch_binding() noexcept { binding_watch_.begin(); }

    /// This member's seat in the group of these ranks, one of which it has, and that group. Neither locks nor
    /// allocates after the first time, nor shares a count of owners with other members. Throws Aborted if
    /// this group has failed.
    struct Derived {
        library::Progression ranks;
        std::shared_ptr<GroupState> group;
        Seat* seat;
    };
    const Derived& derived(const library::Progression& ranks);
    /// A member of a derived group may be made several times, for the same seat.
    void add_handle() { ++handles_; }
    /// Whether that was the last.
    bool drop_handle() { return --handles_ == 0; }

    /// See execute() and execute_again(). run() returns whether it has waited for other members.
    bool run(const Call& call);
    bool run_again(std::uint64_t key, const void* input, void* output);
    static bool end_call(bool has_waited);

    /// Prepares a call for run_held(), as the first that is made of it would be. Throws as run().
    TUTTI_COMPONENT_API std::unique_ptr<library::PreparedCall> hold(const Call& call);
    /// Runs a held call on the vectors of `call`, which must have the same places relative to each other as
    /// those with which it was prepared. Only these, the operator's state and the timeout of `call` are used.
    /// A held call is never searched for, so other calls of the member in between do not matter.
    TUTTI_COMPONENT_API void run_held(library::PreparedCall& held, const Call& call);

    /// The group fails, because the member has thrown that.
    void fail(const std::exception_ptr& thrown) noexcept;
    /// The member fails, outside of its calls or in an operator, whose call then throws Aborted. It makes no
    /// more calls, which others would take for other calls than theirs, until the group is used again.
    void abort(std::string_view text);
    /// The failure of a member that has called abort().
    TUTTI_COMPONENT_API static std::exception_ptr exception_of_abort(std::string_view text, int rank);
    /// Throws the Error of that, if the member has.
    void throw_if_aborted() const;
    /// Throws Aborted, if the member has.
    void check_aborted() const;

    /// The member's outstanding operations; null before its first nonblocking call.
    library::Outstanding* outstanding() { return outstanding_.get(); }
    bool has_outstanding() const { return outstanding_ != nullptr && outstanding_->has_open(); }
    void keep(std::unique_ptr<library::Outstanding> outstanding) { outstanding_ = std::move(outstanding); }
    /// Waits for that: the member leaves.
    TUTTI_COMPONENT_API void end_requests() noexcept;

    /// Marks that this member is in a call in which an operator of the program may run, for a while. The
    /// operator must not make calls of this member, and the thread calls no continuations meanwhile.
    class OperatorRuns : Immovable {
    public:
        OperatorRuns(Seat& seat, bool runs)
            : seat_(seat), ran_before_(seat.runs_operator_), front_(seat.front_), runs_(runs) {
            if (runs_) {
                hold_.emplace(library::ThreadProgress::here());
                seat_.runs_operator_ = true;
                seat_.front_ = nullptr; // so that no call is taken for a repeated one
            }
        }
        ~OperatorRuns() {
            if (runs_) {
                seat_.runs_operator_ = ran_before_;
                seat_.front_ = seat_.aborted_ ? nullptr : front_;
            }
        }

    private:
        Seat& seat_;
        bool ran_before_;
        library::PreparedCall* front_;
        bool runs_;
        std::optional<library::ThreadProgress::Hold> hold_;
    };
    bool runs_operator() const { return runs_operator_; }

    library::Plans& plans() { return plans_; }
    /// Null if calls are not explored.
    const library::Explorations* explorations() const { return explorations_.get(); }
    /// The epoch of the next call that blocks.
    std::uint64_t epoch() const { return cursor_.epoch; }

    /// The sequence in which the two have made different calls, as far as that is known, if there is one.
    std::optional<library::Sequence> difference(const Seat& other) const;

    /// An epoch that no member has reached.
    std::uint64_t epoch_to_resume_from() const { return cursor_.epoch + longest_operation_points; }
    void resume(std::uint64_t epoch);

private:
    /// More points than any plan has: no two members can be so far apart.
    static constexpr std::uint64_t longest_operation_points = 1U << 16U;

    /// The context of errors of a call that has not begun, and of one that is being made.
    ErrorContext context_of(const Call& call) const;
    ErrorContext context_of(const library::PreparedCall& call) const;
    /// Throws unless the member may make a call now.
    void require_idle(const Call& call) const;
    /// Completes `call`, which `prepare` returns prepared, for which that has decided everything that does
    /// not depend on addresses. Fails the group if that fails, except for wrong arguments.
    template <class Prepare>
    library::PreparedCall& complete(const Call& call, Prepare prepare);
    /// Brings a call like this one to the front, prepared.
    void find_or_prepare(const Call& call);
    /// Makes the call in front, which is measured. Returns whether it has waited, as those below.
    bool try_front(const Call& call, library::Exploration& exploration);
    /// Has explorations see how far the member has come.
    void show_position() { explorations_->come_to({cursor_.epoch, cursor_.sync_epoch}); }
    /// Repeats another call than the one in front, which it brings to the front.
    bool find_again(std::uint64_t key, const void* input, void* output);
    void bring_to_front(library::PreparedCall* call) {
        front_ = call;
        next_exchange_ = {};
    }
    /// How the call is repeated once it is in front: PreparedCall::again() is one of the functions below.
    library::PreparedCall::Again again_of(const library::PreparedCall& call) const;
    /// Not at all: the call is recorded.
    static bool refuse_again(Seat& seat, std::uint64_t key, const void* input, void* output);
    /// By its plan, if no look at the choice of its algorithm is due.
    static bool run_plan_again(Seat& seat, std::uint64_t key, const void* input, void* output);
    using Exchange = run::WordExchange<mailbox::Mailbox>;
    /// As an exchange of words, without a Runner.
    template <bool two_words>
    static bool exchange_again(Seat& seat, std::uint64_t key, const void* input, void* output);
    /// The same if not every member waits for all others.
    static bool pass_again(Seat& seat, std::uint64_t key, const void* input, void* output);
    template <bool two_words>
    bool look_for(const Exchange& exchange, const Exchange::Words& words);
    /// The first time that it is in front, or after an operation of another call.
    bool begin_exchange(std::uint64_t key, const void* input, void* output);
    /// The rest, if a word comes late or a thread must be woken. The member has published `word`. True.
    bool finish_exchange(std::uint64_t word, const void* input, void* output);
    /// Runs the call in front by its plan. True.
    bool run_front(const void* input, void* output);
    /// Shows the others the call in front, if it is another one than the last.
    void record();

    /// Shows and runs the call in front on the vectors of `call`, and records it.
    bool make_front(const Call& call);
    bool run_recorded(const library::PreparedCall& prepared, const Call& call);
    /// Runs a call on these vectors, watched by the observer. It may wait for so long, 0: the group's
    /// timeout.
    template <class Observer>
    bool run_prepared(const library::PreparedCall& call, const void* input, void* output, const void* state,
                      Timeout timeout, const Observer& observer);
    /// Runs it to the end. It looks so often before it waits slowly.
    template <class Runner>
    bool run_to_the_end(const library::PreparedCall& call, Runner& runner, int looks, Timeout timeout);
    /// The call has thrown that.
    void fail_call(const library::PreparedCall& call, const std::exception_ptr& thrown);
    /// Goes on with a run that waits, until it is done.
    template <class Runner>
    void run_slowly(const library::PreparedCall& call, Runner& runner, run::State state, Timeout timeout);
    /// Waits until the run can go on, or throws the exception that has ended it.
    template <class Runner>
    void wait(const library::PreparedCall& call, Runner& runner, run::State state,
              library::WaitTimer& waited);

    GroupState& group_;
    int rank_;
    CalledFrom called_from_;
    run::Cursor cursor_;
    /// The call that is made or prepared, the first of all; null at the start and after a failure.
    library::PreparedCall* front_ = nullptr;
    /// The failure of the member in abort(), or null.
    std::exception_ptr aborted_;
    /// The member's records of its calls, none of which is run again without a look; null if nothing is
    /// recorded.
    library::MemberRecord* record_;
    /// The next exchange of the call in front, if the cursor is there.
    run::WordExchange<mailbox::Mailbox> next_exchange_;
    library::CallCache<std::unique_ptr<library::PreparedCall>> prepared_calls_;
    /// Null if calls are not explored.
    std::unique_ptr<library::Explorations> explorations_;
    run::Bindings bindings_;

    // Behind everything that most calls look at.
    library::Plans plans_;
    /// The input of an operation that cannot be carried out in place is copied here first.
    run::Memory input_copy_;
    /// An operator of the caller's runs, which must not call this member.
    bool runs_operator_ = false;
    mailbox::WaitHistory wait_history_;
    machine::BindingWatch binding_watch_;
    std::chrono::nanoseconds binding_looked_at_{0};
    /// The call that this member has shown last; of number 0 if there is none.
    library::CallRecord recorded_{};
    std::uint64_t recorded_digest_ = 0;
    std::unique_ptr<library::Outstanding> outstanding_;
    /// Sorted by ranks.
    std::vector<Derived> derived_;
    int handles_ = 0;
    /// The thread that has taken it last.
    std::uint64_t thread_ = 0;
};

} // namespace tutti::v0_1::detail
