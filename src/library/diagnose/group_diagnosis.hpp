#pragma once

#include "diagnose/disagreement.hpp"
#include "diagnose/roll_call.hpp"
#include "group/group_state.hpp"

#include <memory>

namespace tutti::library {

class SharedMemory;

/// How far the members of a group have come at some time.
struct Snapshot {
    struct Mark {
        /// The progress in blocking calls, and in nonblocking and persistent ones: both only grow.
        std::uint64_t progress = 0;
        std::uint64_t starts = 0;
        /// The CPU time of the member's thread, below 0 if there is none.
        std::chrono::nanoseconds cpu_time{-1};
    };

    /// By clock_now(); 0: never.
    std::chrono::nanoseconds at{0};
    std::vector<Mark> digests = {};
};

/// A look at a group. By any thread.
Snapshot snapshot_of(const SharedMemory& memory);

/// The last look at a group, so that the next one shows which members have moved.
class LastSnapshot {
public:
    /// Keeps `next` and returns the one before.
    Snapshot exchange(Snapshot next) {
        const std::scoped_lock lock(mutex_);
        std::swap(snapshot_, next);
        return next;
    }
    Snapshot get() {
        const std::scoped_lock lock(mutex_);
        return snapshot_;
    }
    std::chrono::nanoseconds at() {
        const std::scoped_lock lock(mutex_);
        return snapshot_.at;
    }

private:
    std::mutex mutex_;
    Snapshot snapshot_;
};

/// The diagnosis that every group has.
class GroupDiagnosis final : public Diagnosis {
public:
    explicit GroupDiagnosis(detail::GroupState& group) : group_(group) {}

    void check(const Stall& stall, bool is_stuck, const IsReady& is_ready) override;
    std::string delay(const Stall& stall, std::chrono::milliseconds waited) override;
    [[noreturn]] void throw_different(const Stall& stall) override;
    [[noreturn]] void throw_absent(const Stall& stall) override;
    [[noreturn]] void throw_fault(const Stall& stall, run::Fault fault, const CallSignature& signature,
                                  const run::Prepared& prepared, const run::Bindings& bindings) override;
    void take_snapshot(std::chrono::milliseconds age) override;
    void report_stuck(int inside) noexcept override;
    std::string disagreement() const override;
    std::string roll_call(RollCallFormat format) override;
    void list_for_roll_calls() override;

private:
    /// An error compares with the last snapshot of the group. People take the next one, and where there was
    /// none two: some 200 us.
    enum class Asked : bool { by_error, by_people };
    /// `stall`: the wait that is too long, if that is the reason.
    RollCall look(Asked asked, const Stall& stall = {});
    Histories histories() const;
    /// In a sub-group: which ranks the two have in the first group, by which users know them.
    std::string whereabouts(const Stall& stall) const;
    /// Throws a MismatchError with the reason and the place of each member.
    [[noreturn]] void throw_mismatch(const Stall& stall, const std::string& what);

    detail::GroupState& group_;
    LastSnapshot last_snapshot_;
    /// Refers to the others.
    std::optional<RollCallListed> listed_;
};

std::unique_ptr<Diagnosis> diagnosis_of(detail::GroupState& group);

} // namespace tutti::library
