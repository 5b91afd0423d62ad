#pragma once

#include "execute/arguments.hpp"
#include "execute/attendance.hpp"
#include "execute/call_log.hpp"
#include "execute/operation.hpp"
#include "execute/own_plan.hpp"
#include "execute/recent.hpp"
#include "execute/select.hpp"
#include "mailbox/slot.hpp"
#include "plan/plan.hpp"

#include <tutti/detail/call.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace tutti::execute {

class Executor;

/// What of the digest of a history goes into a tag.
constexpr std::uint64_t print_of_history(std::uint64_t history) {
    return history >> (64U - mailbox::print_bits);
}

/// Memory that grows when more of it is asked for than ever before, and is not kept when it does.
class Memory {
public:
    /// On a cache line, and where elements of that alignment may lie.
    std::byte* at_least(std::size_t bytes, std::size_t alignment = mailbox::line_bytes) {
        if (bytes_ < bytes || alignment_ < alignment) {
            const std::size_t most_bytes = std::max(bytes, bytes_);
            const std::size_t widest = std::max(alignment, alignment_);
            const std::align_val_t where{widest};
            memory_ = {static_cast<std::byte*>(::operator new(most_bytes, where)), Delete{where}};
            bytes_ = most_bytes;
            alignment_ = widest;
        }
        return memory_.get();
    }

    /// What the last at_least() returned.
    std::byte* data() const { return memory_.get(); }

private:
    struct Delete {
        std::align_val_t alignment;
        void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
    };

    std::unique_ptr<std::byte, Delete> memory_;
    std::size_t bytes_ = 0;
    std::size_t alignment_ = mailbox::line_bytes;
};

/// What a schedule and its plan depend on besides the number of members.
struct ScheduleName {
    std::size_t row = 0;
    schedule::Form form = schedule::Form::separate;
    /// The root of a rooted collective, the distance of a shift, else 0.
    int root = 0;
    /// Which plan for that schedule: the compiled one, that of an all-to-all of irregular blocks, or the one
    /// for an output that all members share.
    enum class Variant : std::uint8_t { plain, irregular_exchange, shared_output } variant = Variant::plain;

    friend auto operator<=>(const ScheduleName&, const ScheduleName&) = default;
};

/// The plans that all members of a group together keep, in bytes; each keeps at least as many as follow.
inline constexpr std::size_t most_plan_bytes = std::size_t{64} << 20U;
inline constexpr std::size_t least_plan_bytes = std::size_t{16} << 10U;

} // namespace tutti::execute

namespace tutti::detail {

class GroupState;

/// One member's own part of a group: touched only by the thread that sits in it.
class alignas(64) Seat {
public:
    Seat(GroupState& group, int rank, int members);

    int rank() const { return rank_; }
    GroupState& group() { return group_; }

    /// Gives back a seat that has been taken, see GroupState::take_seat.
    void release();
    execute::Attendance& attendance() { return attendance_; }

    /// The epoch of the last operation that nobody could complete before all had entered it, 0 if there was
    /// none. Only while the seat is free.
    std::uint64_t last_meeting() const {
        return operation_.settles && epoch_ > prepared_at_ ? epoch_before_ : meeting_before_;
    }

    /// Whether the calling thread, which has just taken the seat, is another than the one before.
    bool is_new_here();

    /// See execute() and execute_again().
    void run(const Call& call);
    bool run_again(std::uint64_t key, const void* input, void* output);

    /// Whether the two have made the same calls, as far as that is known.
    bool is_in_step_with(const Seat& other) const {
        return epoch_ == other.epoch_ && history_ == other.history_;
    }

    std::uint64_t epoch_to_resume_from() const { return epoch_ + longest_operation_points; }
    void resume(std::uint64_t epoch);

private:
    friend class execute::Executor;

    /// More points than any plan has: where no two members can be further apart.
    static constexpr std::uint64_t longest_operation_points = 1U << 16U;

    /// Whether the operation that was prepared last serves `call`, but for its addresses. Programs repeat
    /// their calls, and this is what makes a small one cheap.
    bool is_prepared_for(const Call& call) const;
    /// Whether the call has the counts of the one that was prepared, or like that one none.
    bool has_prepared_counts(const Call& call) const;

    /// Before the operation is exchanged for another one.
    void note_meeting() {
        meeting_before_ = last_meeting();
        prepared_at_ = epoch_;
    }

    /// Checks the call and decides everything about it that does not depend on its addresses.
    void prepare(const Call& call);
    /// Its parts: each sets what its name says of the operation, for a call whose arguments are those of
    /// shape_.
    void set_plan(const Call& call, const execute::Selection& selection);
    void set_partition(const Call& call);
    void set_stores(const Call& call, const execute::CallSize& size, schedule::Form form);
    void set_claim(const Call& call, const execute::Selection& selection);
    bool must_copy_input(const Call& call, const execute::Selection& selection);
    /// Shows the others the prepared call, which is made next.
    void record();

    /// Runs the prepared operation on these vectors.
    void run_prepared(const void* input, void* output);

    /// Compiled on first use, and again when it has been forgotten.
    const execute::OwnPlan& plan(const execute::ScheduleName& name);

    /// Points the operation to this seat's scratch memory, which grows when an operation needs more than any
    /// before.
    void set_scratch(execute::Operation& operation, std::size_t element_align);

    /// Goes on to the next operation.
    void complete() {
        if (!operation_.settles) {
            history_ = execute::mixed(history_, operation_.marks.digest);
        }
        must_settle_ = carried_before_ && !operation_.settles;
        carried_before_ = operation_.carries;
        epoch_before_ = epoch_;
        epoch_ += operation_.plan->points;
        parity_ ^= 1U;
    }

    GroupState& group_;
    int rank_;
    /// The epoch of point 0 of the next operation. Equal on all members between operations.
    std::uint64_t epoch_ = 1;
    /// That of the last one.
    std::uint64_t epoch_before_ = 0;
    unsigned parity_ = 0;
    /// Whether this member carried messages in the last operation.
    bool carried_before_ = false;
    /// Whether the slots that come next may still be read: this member carried messages in the operation
    /// before the last, and the last one says nothing about whether everybody has left that.
    bool must_settle_ = false;
    /// A digest of the operations that may end before their members have heard of each other: had two of
    /// them been in different ones, they find out in the next that does not.
    std::uint64_t history_ = 0;

    /// Without its counts, which may be gone: what they were is in offsets_ and sent_offsets_.
    Call prepared_;
    bool has_counts_ = false;
    bool has_received_ = false;
    execute::Shape shape_;
    execute::Operation operation_;
    /// What this member has shown of its calls last.
    execute::CallPlace recorded_;
    std::uint64_t recorded_digest_ = 0;
    /// An operator of the caller's runs, which must not call this member.
    bool runs_operator_ = false;
    /// What is taken off the addresses of a call so that vectors start where their block 0 would be.
    std::uintptr_t input_shift_bytes_ = 0;
    std::uintptr_t output_shift_bytes_ = 0;
    std::size_t input_bytes_ = 0;
    std::size_t output_bytes_ = 0;
    /// key_of(prepared_)
    std::uint64_t prepared_key_ = 0;
    bool is_prepared_ = false;

    // As long as an operation has needed them so far.
    /// The vectors of others, by their number in the plan.
    std::vector<execute::Bases> peers_;
    /// Those of all members.
    std::vector<void*> outs_;
    std::vector<const void*> ins_;
    /// Where irregular blocks start.
    std::vector<std::size_t> offsets_;
    /// Where the blocks of the input of an irregular all-to-all start. The others read it during the call.
    std::vector<std::size_t> sent_offsets_;
    execute::Memory scratch_;
    /// The input of an operation that cannot be carried out in place is copied here first.
    execute::Memory input_copy_;
    bool copies_input_ = false;
    execute::Recent<execute::ScheduleName, execute::OwnPlan> plans_;

    // Behind everything that calls look at.
    execute::Attendance attendance_;
    /// The epoch when the operation was prepared, and last_meeting() as it was then.
    std::uint64_t prepared_at_ = 1;
    std::uint64_t meeting_before_ = 0;
    /// Who has taken it last.
    std::uint64_t thread_ = 0;
};

} // namespace tutti::detail
