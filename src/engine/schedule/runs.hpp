#pragma once

#include "schedule/schedule.hpp"

#include <numeric>

namespace tutti::schedule {

/// Values in numbered groups, in each in the order in which they came: a counting sort.
template <class Value>
class Grouped {
public:
    Grouped() : first_(2) {}
    /// Calls visit_all(visit) twice, which calls visit(group, value) for every value, both times alike.
    template <class VisitAll>
    Grouped(std::size_t groups, VisitAll visit_all) : first_(groups + 2) {
        // While groups are filled, each has its end where its begin will be.
        visit_all([&](std::size_t group, const Value& /*value*/) { ++first_[group + 2]; });
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        values_.resize(first_.back());
        visit_all([&](std::size_t group, const Value& value) { values_[first_[group + 1]++] = value; });
    }

    std::size_t groups() const { return first_.size() - 2; }

    std::span<const Value> at(std::size_t group) const {
        return std::span(values_).subspan(first_[group], first_[group + 1] - first_[group]);
    }
    std::span<Value> at(std::size_t group) {
        return std::span(values_).subspan(first_[group], first_[group + 1] - first_[group]);
    }

private:
    std::vector<std::uint32_t> first_;
    std::vector<Value> values_;
};

/// The accesses to the blocks of many vectors, grouped by runs of blocks: an access to one block of a run
/// touches the whole run, so a run needs only one look. Each group keeps the order of the visits.
template <class Value>
class ByRun {
public:
    /// Calls visit_all(visit), which calls visit(vector, begin, end, value) for each access to a range. If
    /// most moves of the schedule are of one block, each block is a run.
    template <class VisitAll>
    ByRun(const Schedule& schedule, std::size_t vectors, int blocks, VisitAll visit_all)
        : blocks_(static_cast<std::size_t>(blocks)) {
        std::vector<Touch> touches;
        visit_all([&](std::size_t vector, int begin, int end, const Value& value) {
            const std::size_t first = vector * blocks_;
            touches.push_back({static_cast<std::uint32_t>(first + static_cast<std::size_t>(begin)),
                               static_cast<std::uint32_t>(first + static_cast<std::size_t>(end)), value});
        });
        if (schedule.blocks_named() >= 2 * schedule.moves()) {
            number_runs(touches, vectors);
        }
        values_ = Grouped<Value>(run(vectors, 0), [&](auto visit) {
            for (const Touch& touch : touches) {
                for (std::size_t at = run_of(touch.begin); at < run_of(touch.end); ++at) {
                    visit(at, touch.value);
                }
            }
        });
    }

    /// The run of a block, or with block == blocks the one after the last of the vector.
    std::size_t run(std::size_t vector, int block) const {
        return run_of(vector * blocks_ + static_cast<std::size_t>(block));
    }

    std::span<const Value> at(std::size_t run) const { return values_.at(run); }
    std::span<Value> at(std::size_t run) { return values_.at(run); }

private:
    /// The blocks of all vectors are numbered one after the other.
    struct Touch {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        Value value;
    };

    std::size_t run_of(std::size_t block) const { return runs_.empty() ? block : runs_[block]; }

    /// Runs begin where vectors and ranges do and where ranges end.
    void number_runs(const std::vector<Touch>& touches, std::size_t vectors) {
        runs_.resize(vectors * blocks_ + 1);
        for (std::size_t vector = 0; vector <= vectors; ++vector) {
            runs_[vector * blocks_] = 1;
        }
        for (const Touch& touch : touches) {
            runs_[touch.begin] = runs_[touch.end] = 1;
        }
        runs_.front() = 0;
        std::partial_sum(runs_.begin(), runs_.end(), runs_.begin());
    }

    std::size_t blocks_;
    /// For each block its run; empty if that is the block itself.
    std::vector<std::uint32_t> runs_;
    Grouped<Value> values_;
};

} // namespace tutti::schedule
