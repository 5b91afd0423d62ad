#pragma once

#include "choose/exploration.hpp"
#include "tuning/table.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tutti::engine {

/// The choice that a group has learnt for one kind of calls.
struct Learnt {
    struct Candidate {
        Selection selection;
        double us = 0;
    };

    CallKind kind;
    /// The point of the first call of the kind.
    tuning::Point point;
    /// The choice first, the others in the order in which they were tried.
    std::vector<Candidate> candidates;
    /// Calls that were measured, and how much longer they took than they would have with the choice, as the
    /// times of the candidates have it.
    int tried_calls = 0;
    double lost_us = 0;

    /// As an entry of a table.
    tuning::Entry entry() const;
    /// Whether such an entry holds for calls of this kind: a table has only entries for canonical order and
    /// operators that commute and may combine partial results.
    bool has_entry() const {
        return !kind.serial && kind.commutative && !kind.in_one_pass && !kind.shared_output;
    }
    /// "allreduce ordered of 65536 bytes: direct/non-temporal (tried) 12.3 us; direct (built-in) 15.1 us;
    /// tried in 6 calls, which lost 8.4 us"
    std::string text() const;
};

/// All choices that a group has learnt, for any thread.
class LearntByGroup {
public:
    void put(Learnt learnt);
    void clear();
    std::vector<Learnt> all() const;

private:
    mutable std::mutex mutex_;
    std::map<CallKind, Learnt> of_kinds_;
};

/// The state that the explorations of a group's members share.
struct Trials {
    explicit Trials(int members) : times(static_cast<std::size_t>(members)) {}

    /// By rank; empty if calls are not explored.
    std::vector<TrialTimes> times;
    LearntByGroup learnt;
};

} // namespace tutti::engine
