#include "tune/tuner.hpp"

#include "choose/algorithm_predictor.hpp"
#include "machine/placement.hpp"
#include "measure/clock.hpp"
#include "terminal/numbers.hpp"
#include "threads/selection_input.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace tutti::bench {

namespace {

/// Of members that choose by predictions, if they do.
std::unique_ptr<engine::AlgorithmPredictor> predictor_of(int members, const BenchOptions& options,
                                                         const machine::Machine& machine,
                                                         const std::optional<distance::MachineModel>& lines) {
    const auto cpus = machine::place(machine, members, machine::parse_placement(options.placement));
    const bool is_pinned = std::ranges::count(cpus, machine::unpinned) == 0;
    const auto all = static_cast<int>(machine.pus.size());
    if (!lines || !is_pinned ||
        !engine::AlgorithmPredictor::is_for(members, all, tuning::l3_groups(machine, cpus))) {
        return nullptr;
    }
    const auto pus = engine::pus_of(machine, cpus);
    return std::make_unique<engine::AlgorithmPredictor>(
        engine::KnownMachine{*lines}, engine::positions_of(machine, pus),
        graph::LevelTree::of_parts(members, machine::parts_of(machine, cpus)));
}

/// Without those that are predicted to be far from the best.
std::vector<std::size_t> promising(std::vector<std::size_t> rows, engine::AlgorithmPredictor& predictor,
                                   const SelectionInput& input) {
    constexpr double far = 3;
    const auto best = predictor.best(input.call, input.size);
    std::erase_if(rows, [&](std::size_t row) {
        const auto own = best ? predictor.of(row, input.call, input.size) : std::nullopt;
        return own && own->us > far * best->us;
    });
    return rows;
}

/// Everything is measured so many times all over, so that a disturbance does not decide about a point. Where
/// virtual CPUs are moved about, stores to another one's cache cost twice as much a second later.
constexpr int tuning_passes = 3;

} // namespace

Tuner::Tuner(const BenchOptions& options, double seconds, const std::optional<distance::MachineModel>& lines)
    : options_(options), machine_(tuning::this_machine()),
      ends_at_ns_(now_ns() + static_cast<std::int64_t>(seconds * 1e9)) {
    for (const int members : options.members) {
        std::vector<TaskFindings>& tasks = tasks_.emplace_back();
        const auto predictor = predictor_of(members, options, machine_, lines);
        for (const TuningTask& task : tasks_for(members, options.bytes)) {
            const SelectionInput input = selection_input_of(task.problem);
            std::vector<std::size_t> rows = candidates(task.problem);
            if (predictor != nullptr) {
                rows = promising(std::move(rows), *predictor, input);
            }
            tasks.push_back(
                {task, engine::select(input.call, input.size, {}, predictor.get()).row, std::move(rows)});
        }
        runs_left_ += tuning_passes * tasks.size();
    }
}

double Tuner::seconds_left() const {
    return 1e-9 * static_cast<double>(ends_at_ns_ - now_ns());
}

void Tuner::run() {
    Progress progress(runs_left_, !options_.quiet);
    for (int pass = 0; pass < tuning_passes; ++pass) {
        for (std::vector<TaskFindings>& tasks : tasks_) {
            run_members(tasks, progress, pass);
        }
    }
}

void Tuner::run_members(std::vector<TaskFindings>& tasks, Progress& progress, int pass) {
    if (seconds_left() <= 0) {
        return;
    }
    const int members = tasks.front().task.problem.members;
    std::size_t most_bytes = 0;
    for (const TaskFindings& found : tasks) {
        most_bytes = std::max(most_bytes, found.task.problem.bytes());
    }
    TuttiRunner runner({.members = members,
                        .placement = options_.placement,
                        .crowded = static_cast<std::size_t>(members) > machine_.pus.size(),
                        .most_bytes = most_bytes,
                        .method = options_.method});
    std::map<std::pair<Collective, tuning::Operands>, Rows> hopeless;
    for (TaskFindings& found : tasks) {
        const double seconds = seconds_left();
        if (seconds <= 0) {
            return;
        }
        const Problem& problem = found.task.problem;
        progress.step(fmt::format("pass {} of {}, {} members", pass + 1, tuning_passes, members),
                      fmt::format("{} of {}, {:.0f} s left", to_string(problem.collective),
                                  format_bytes(problem.bytes()), seconds));
        measure(runner, found, hopeless[{problem.collective, found.task.operands}],
                seconds / static_cast<double>(runs_left_));
        --runs_left_;
    }
}

void Tuner::measure(TuttiRunner& runner, TaskFindings& found, Rows& hopeless, double seconds) {
    AlgorithmTimes result =
        time_algorithms(runner, found.task.problem, rows_left(found, hopeless), found.built_in, seconds);
    wrong_ += result.wrong;
    for (Sampled& sampled : result.samples) {
        const auto known = std::ranges::find(found.samples, sampled.row, &Sampled::row);
        if (known == found.samples.end()) {
            found.samples.push_back(std::move(sampled));
        } else {
            known->us.insert(known->us.end(), sampled.us.begin(), sampled.us.end());
        }
    }
    note_hopeless(found, hopeless);
}

/// Those that are still to be measured: all at first, then what comes near the fastest, and the built-in one.
std::vector<std::size_t> Tuner::rows_left(const TaskFindings& found, const Rows& hopeless) {
    constexpr double near = 1.5;
    std::vector<std::size_t> rows;
    if (found.samples.empty()) {
        rows = found.candidates;
        std::erase_if(rows, [&](std::size_t row) { return row != found.built_in && hopeless.contains(row); });
        return rows;
    }
    const std::vector<tuning::Measured> medians = ranked(found.samples, found.built_in);
    const double best_us = std::ranges::min_element(medians, {}, &tuning::Measured::us)->us;
    for (const tuning::Measured& median : medians) {
        if (median.us <= near * best_us || median.row == found.built_in) {
            rows.push_back(median.row);
        }
    }
    return rows;
}

/// Vectors that are not small differ in what has to be moved: what is far behind stays there at larger sizes.
void Tuner::note_hopeless(const TaskFindings& found, Rows& hopeless) {
    constexpr std::size_t not_small_bytes = std::size_t{32} << 10U;
    constexpr double far_behind = 3;
    const std::vector<tuning::Measured> medians = ranked(found.samples, found.built_in);
    for (const tuning::Measured& median : medians) {
        if (found.task.problem.bytes() >= not_small_bytes && median.us > far_behind * medians.front().us) {
            hopeless.insert(median.row);
        }
    }
}

Tuned Tuner::tuned(const TaskFindings& found) const {
    const Problem& problem = found.task.problem;
    const std::vector<int> cpus =
        machine::place(machine_, problem.members, machine::parse_placement(options_.placement));
    const tuning::Point point{problem.collective, found.task.operands, problem.members,
                              tuning::l3_groups(machine_, cpus), problem.bytes()};
    return {{point, ranked(found.samples, found.built_in)}, found.built_in};
}

std::vector<Tuned> Tuner::tuned() const {
    std::vector<Tuned> all;
    for (const std::vector<TaskFindings>& tasks : tasks_) {
        for (const TaskFindings& found : tasks) {
            if (!found.samples.empty()) {
                all.push_back(tuned(found));
            }
        }
    }
    std::ranges::sort(all, {}, [](const Tuned& each) { return each.entry.point; });
    return all;
}

std::size_t Tuner::left_out() const {
    std::size_t count = 0;
    for (const std::vector<TaskFindings>& tasks : tasks_) {
        count += static_cast<std::size_t>(
            std::ranges::count_if(tasks, [](const TaskFindings& found) { return found.samples.empty(); }));
    }
    return count;
}

} // namespace tutti::bench
