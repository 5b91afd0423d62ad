#pragma once

#include "schedule/grouped.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace tutti::schedule {

/// The blocks of many vectors in numbered runs: whatever touches a block of a run touches all of it, so that
/// one of them need be looked at.
class Runs {
public:
    /// Calls visit_all(visit), which calls visit(vector, begin, end) for every range that is touched. Where
    /// most moves of the schedule are of one block, each block is a run.
    template <class VisitAll>
    Runs(const Schedule& schedule, std::size_t vectors, int blocks, VisitAll visit_all)
        : vectors_(vectors), blocks_(static_cast<std::size_t>(blocks)) {
        if (schedule.blocks_named() < 2 * schedule.moves()) {
            return;
        }
        run_.resize(vectors * blocks_ + 1);
        for (std::size_t vector = 0; vector <= vectors; ++vector) {
            run_[vector * blocks_] = 1;
        }
        // Runs begin where ranges do and where they end.
        visit_all([&](std::size_t vector, int begin, int end) {
            run_[vector * blocks_ + static_cast<std::size_t>(begin)] = 1;
            run_[vector * blocks_ + static_cast<std::size_t>(end)] = 1;
        });
        run_.front() = 0;
        std::partial_sum(run_.begin(), run_.end(), run_.begin());
    }

    std::size_t count() const { return at(vectors_, 0); }

    /// The run of a block, or with block == blocks the one after the last of the vector.
    std::size_t at(std::size_t vector, int block) const {
        const std::size_t location = vector * blocks_ + static_cast<std::size_t>(block);
        return run_.empty() ? location : run_[location];
    }

private:
    std::size_t vectors_;
    std::size_t blocks_;
    /// For each block of each vector its run; empty where that is the block's number.
    std::vector<std::uint32_t> run_;
};

/// What touches the blocks of many vectors, grouped by run, in each group in the order in which it came.
template <class Value>
class ByRun {
public:
    /// Calls visit_all(visit) up to three times, which calls visit(vector, begin, end, value) for everything
    /// that touches a range, each time alike.
    template <class VisitAll>
    ByRun(const Schedule& schedule, std::size_t vectors, int blocks, VisitAll visit_all)
        : runs_(schedule, vectors, blocks,
                [&](auto visit) {
                    visit_all([&](std::size_t vector, int begin, int end, const Value& /*value*/) {
                        visit(vector, begin, end);
                    });
                }),
          values_(runs_.count(), [&](auto visit) {
              visit_all([&](std::size_t vector, int begin, int end, const Value& value) {
                  for (std::size_t run = runs_.at(vector, begin); run < runs_.at(vector, end); ++run) {
                      visit(run, value);
                  }
              });
          }) {}

    /// As Runs::at().
    std::size_t run(std::size_t vector, int block) const { return runs_.at(vector, block); }

    std::span<const Value> at(std::size_t run) const { return values_.at(run); }
    std::span<Value> at(std::size_t run) { return values_.at(run); }

private:
    Runs runs_;
    Grouped<Value> values_;
};

} // namespace tutti::schedule
