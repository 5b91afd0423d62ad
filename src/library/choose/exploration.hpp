#pragma once

#include "choose/select.hpp"
#include "mailbox/slot.hpp"
#include "wait/failure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>

namespace tutti::library {

struct GroupConfig;

/// The position of a member in its sequence of blocking calls. Equal on all members before each of these.
struct MemberPosition {
    /// The epoch of the next call.
    std::uint64_t epoch = 0;
    /// The epoch of the last call that all members have entered, as every member can infer here.
    std::uint64_t sync_epoch = 0;
};

/// One member's measurements of the candidates of one kind of call, for the others to read. Relaxed, and
/// plain pointers: a call that all members are known to have entered lies between the writes and the reads. A
/// trial writes where the last but one was, which all members have read before they could decide on the last.
struct TrialTimes {
    static constexpr std::size_t most_candidates = 4;
    /// The calls that count for each candidate.
    static constexpr std::size_t counted_calls = 2;
    static constexpr std::size_t most_calls = most_candidates * counted_calls;

    /// Of a member's first times: those of that kind. What is missing only the member itself makes.
    TrialTimes& of_kind(std::size_t kind, bool makes = false);

    std::array<std::array<mailbox::StdWord, most_calls>, 2> ns;
    std::unique_ptr<TrialTimes> next; ///< of the next kind
};

/// The choice that a group has learnt for one kind of calls.
struct Learnt {
    /// Calls that are explored together.
    struct Kind {
        Collective collective = Collective::barrier;
        tuning::Operands operands = tuning::Operands::moved;
        /// Powers of two of bytes.
        int power = 0;
        bool in_place = false;
        bool serial = false;
        bool in_one_pass = false;
        /// Whether algorithms that copy results of one operand do not serve.
        bool lifts_single_operands = false;
        bool shared_output = false;
        /// Whether messages fit into the staging buffers. A kind has one protocol for all its sizes.
        bool may_be_staged = false;

        friend auto operator<=>(const Kind&, const Kind&) = default;
    };

    Kind kind;
    /// The point is that of the first call of the kind. The choice comes first, then the fastest of the
    /// others.
    tuning::Entry entry;
    /// Calls that were measured, and the time that they lost by comparison with the choice.
    int tried_calls = 0;
    double lost_us = 0;

    /// Whether the entry holds for calls of this kind: a table has only entries for canonical order and
    /// operators that may combine partial results.
    bool has_entry() const { return !kind.serial && !kind.in_one_pass && !kind.shared_output; }
    /// "allreduce ordered of 65536 bytes: direct (tried) 12.3 us; tried in 6 calls, which lost 8.4 us"
    std::string text() const;
};

/// All choices that a group has learnt, for any thread.
class LearntByGroup {
public:
    void put(Learnt learnt);
    void clear();
    std::vector<Learnt> all() const;

private:
    mutable GroupMutex mutex_;
    std::map<Learnt::Kind, Learnt> of_kinds_;
};

/// The state that the explorations of a group's members share.
struct Trials {
    explicit Trials(int members) : times(static_cast<std::size_t>(members)) {}

    /// By rank; empty if calls are not explored. All members have the same kinds in the same order.
    std::vector<TrialTimes> times;
    LearntByGroup learnt;
};

/// The choice of one member for one kind of call: it tries candidates in turn, and keeps the fastest. One
/// call of each algorithm shows which are so slow that more calls would cost too much; the others are
/// compared. It is a machine of states without clock, threads or randomness. Members that make the same calls
/// come to the same choice at the same call, because they read the same times.
///
/// STAR-MPI (Faraj, Yuan and Lowenthal 2006) tries algorithms in a program's own calls in the same way.
class Exploration {
public:
    /// Calls that each compared candidate gets. The first one does not count: it finds the caches as another
    /// candidate has left them.
    static constexpr int rounds = 1 + static_cast<int>(TrialTimes::counted_calls);
    /// Calls after the first choice until it is looked at, because a program's first calls may find other
    /// buffers than those that follow. The intervals grow by this factor, up to the longest.
    static constexpr std::uint32_t first_interval = 64;
    static constexpr std::uint32_t growth_of_intervals = 8;
    static constexpr std::uint32_t longest_interval = 1U << 18U;
    /// After this interval all candidates are tried, in case something disturbed the first trials.
    static constexpr std::uint32_t interval_before_all = 4096;

    /// The first candidate is the choice without any measurement. `synchronises`: no member can leave a call
    /// before all have entered. It then takes as long as it takes the fastest member, which has come last. It
    /// takes as long as the slowest one otherwise. Only so many candidates are tried at first, none if that
    /// is 1; all of them after interval_before_all calls. The times are those of the group; so many kinds are
    /// before this one.
    Exploration(std::vector<Selection> candidates, std::span<TrialTimes> times, int rank, std::size_t kind,
                bool synchronises, std::size_t at_first = TrialTimes::most_candidates);

    /// Begins a call: the selection to use, which stays where it is. The member must call end() after the
    /// call if is_trying() then.
    const Selection& begin(const MemberPosition& now);
    bool is_trying() const { return phase_ == Phase::trying; }
    /// The call must begin by waiting until all members have entered the call at this epoch, an earlier one;
    /// 0 for most calls. The next one is then at a position that has this epoch or a later one as its
    /// sync_epoch. It is a call that does not synchronise by itself, in which nothing is measured.
    std::uint64_t epoch_to_meet() const { return epoch_to_meet_; }
    /// The call has taken so long; the next one is at this position.
    void end(std::chrono::nanoseconds took, const MemberPosition& next);

    /// The candidates whose plans the member must make for calls that follow: otherwise others would measure
    /// how long they wait for these.
    std::span<const std::size_t> to_prepare() const {
        return phase_ == Phase::preparing ? std::span(tried_) : std::span<const std::size_t>();
    }

    /// Counts a call that repeats one which was prepared for the selection with that number, unless a look at
    /// the choice is due: then begin() must be called.
    bool repeats(std::uint32_t selection) noexcept {
        return selection == selection_ && calls_left_ > 1 && --calls_left_ != 0;
    }
    /// Changes with the result of begin().
    std::uint32_t selection_number() const { return selection_; }

    /// The choice made by measurement; null before that.
    const Selection* chosen() const { return is_chosen_ ? &candidates_[choice_] : nullptr; }
    std::uint32_t trials() const { return trials_; }
    /// The learnt choice, of a kind and point that the caller adds. \pre chosen()
    Learnt learnt() const;
    std::span<const Selection> candidates() const { return candidates_; }

private:
    /// - preparing: members make what a glance needs
    /// - trying: calls measure
    /// - shown: the members' times are not all there yet
    /// - settled: nothing is measured
    enum class Phase : std::uint8_t { preparing, trying, shown, settled };

    /// - glance: one call of each algorithm, by its first candidate
    /// - comparison: `rounds` calls of each candidate that is not much slower
    /// - check: as many of the choice, to see whether it takes as long as it did
    enum class Trial : std::uint8_t { glance, comparison, check };

    void look(const MemberPosition& now);
    void start(Trial trial);
    bool is_of_trial(std::size_t candidate) const;
    void settle(std::uint32_t interval);
    std::uint32_t next_interval() const;
    std::size_t counted_calls() const { return trial_ == Trial::glance ? 1 : TrialTimes::counted_calls; }
    std::size_t calls_of_each() const { return trial_ == Trial::glance ? 1 : std::size_t{rounds}; }
    std::uint64_t time_of(std::size_t which) const;
    void decide();
    void use(std::size_t candidate);

    std::vector<Selection> candidates_;
    std::span<TrialTimes> times_;
    TrialTimes* own_times_;
    std::size_t kind_;
    bool synchronises_;
    Phase phase_ = Phase::settled;
    Trial trial_ = Trial::glance;
    bool is_chosen_ = false;
    std::size_t choice_ = 0;
    /// The times of the candidates when they were tried last, the same on all members; 0 before that.
    std::array<std::uint64_t, TrialTimes::most_candidates> ns_{};
    /// Calls that were measured, and the time that they lost by all comparisons together.
    int tried_calls_ = 0;
    std::uint64_t lost_ns_ = 0;
    std::size_t used_ = 0;
    /// Only the first of the candidates may be tried.
    std::size_t most_;
    /// The candidates of the trial, and the calls that have been made.
    std::vector<std::size_t> tried_;
    std::size_t calls_ = 0;
    std::uint32_t trials_ = 0;
    std::uint64_t shown_at_ = 0;
    std::uint64_t epoch_to_meet_ = 0;
    std::uint32_t selection_ = 1;
    std::uint32_t calls_left_ = 0;
    /// Calls between the last decision and the next look.
    std::uint32_t interval_ = 0;
};

/// The kind of a call, whose arguments have been checked; nothing if calls of this kind are not explored.
std::optional<Learnt::Kind> explored_kind(const detail::Call& call, const Selection::Input& size);

/// The explorations of one member.
class Explorations {
public:
    Explorations(const GroupConfig& config, Trials& trials, int rank);

    /// The exploration of the kind of a call, whose arguments have been checked; null if calls of this kind
    /// are not explored. Begun with the first call of a kind. O(log of the kinds).
    Exploration* of(const detail::Call& call, const Selection::Input& size);
    /// The choice with which blocking calls of this kind have been found to be the fastest; null if there is
    /// none. The same on all members that have made the same blocking calls.
    const Selection* chosen(const detail::Call& call, const Selection::Input& size) const;
    /// Changes if anything that chosen() returns may have changed.
    std::uint64_t decisions() const { return decisions_; }

    /// The calls that begin from now on do so at this position.
    void come_to(const MemberPosition& position) {
        position_ = {position.epoch, std::max(position.sync_epoch, met_epoch_)};
    }
    /// The last call has waited until all members had entered the one at this epoch.
    void meet(std::uint64_t epoch) { met_epoch_ = std::max(met_epoch_, epoch); }
    const Selection& begin(Exploration& exploration);
    void end(Exploration& exploration, std::chrono::nanoseconds took) { exploration.end(took, position_); }
    /// Forgets everything, as all members do after a failure, because some may have decided and others not.
    void clear();

private:
    struct Explored {
        Exploration exploration;
        /// The bytes of the first call of the kind.
        std::size_t bytes;
    };

    /// The times of calls of half or twice the bytes.
    std::vector<tuning::Measured> known_of(const Learnt::Kind& kind) const;
    /// Shows others what this member, the first, has learnt.
    void report_decisions();

    const GroupConfig& config_;
    Trials& trials_;
    int rank_;
    std::uint64_t decisions_ = 0;
    MemberPosition position_;
    std::uint64_t met_epoch_ = 0;
    std::map<Learnt::Kind, Explored> of_kinds_;
};

} // namespace tutti::library
