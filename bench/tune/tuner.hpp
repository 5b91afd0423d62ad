#pragma once

#include "distance/line_profile.hpp"
#include "machine/machine.hpp"
#include "options/bench_options.hpp"
#include "terminal/progress.hpp"
#include "tune/algorithm_times.hpp"
#include "tune/tuning_plan.hpp"
#include "tuning/table.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tutti::bench {

/// One point that has been measured, and the row that the library chooses there by itself.
struct Tuned {
    tuning::Entry entry;
    std::size_t built_in = 0;
};

/// Measures what `tutti tune` is to find out: the members, sizes and placement of `options`, every
/// collective.
class Tuner {
public:
    /// `seconds` from now on. With a line profile, where members choose by predictions, algorithms are left
    /// out that are predicted to take more than three times as long as the best.
    Tuner(const BenchOptions& options, double seconds, const std::optional<distance::MachineModel>& lines);

    /// Throws what the library throws.
    void run();

    /// What was measured, as far as the time lasted, ascending.
    std::vector<Tuned> tuned() const;
    /// Points for which it did not.
    std::size_t left_out() const;
    /// Elements of results that were wrong.
    std::uint64_t wrong() const { return wrong_; }

private:
    /// What is known about one task so far.
    struct TaskFindings {
        TuningTask task;
        std::size_t built_in = 0;
        std::vector<std::size_t> candidates = {};
        /// Of all passes together; none before the first.
        std::vector<Sampled> samples = {};
    };
    using Rows = std::set<std::size_t>;

    double seconds_left() const;
    void run_members(std::vector<TaskFindings>& tasks, Progress& progress, int pass);
    void measure(TuttiRunner& runner, TaskFindings& found, Rows& hopeless, double seconds);
    static std::vector<std::size_t> rows_left(const TaskFindings& found, const Rows& hopeless);
    static void note_hopeless(const TaskFindings& found, Rows& hopeless);
    Tuned tuned(const TaskFindings& found) const;

    const BenchOptions& options_;
    const machine::Machine& machine_;
    std::int64_t ends_at_ns_;
    /// For each number of members.
    std::vector<std::vector<TaskFindings>> tasks_;
    std::size_t runs_left_ = 0;
    std::uint64_t wrong_ = 0;
};

} // namespace tutti::bench
