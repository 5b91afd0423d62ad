#include "tune/tuner.hpp"

#include "machine/placement.hpp"
#include "measure/clock.hpp"
#include "terminal/numbers.hpp"
#include "threads/selection_input.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/load.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::bench {

namespace {

/// Everything is measured so many times all over, so that a disturbance does not decide about a point. Where
/// virtual CPUs are moved about, stores to another one's cache cost twice as much a second later.
constexpr int passes = 3;

} // namespace

Tuner::Tuner(const BenchOptions& options, double seconds)
    : options_(options), machine_(tuning::this_machine()),
      ends_at_ns_(now_ns() + static_cast<std::int64_t>(seconds * 1e9)) {
    for (const int members : options.members) {
        std::vector<Contested>& contests = contests_.emplace_back();
        for (const TuningTask& task : tasks_for(members, options.bytes)) {
            const Question question = question_of(task.work);
            contests.push_back({task, execute::select(question.call, question.size, {}).row});
        }
        runs_left_ += passes * contests.size();
    }
}

double Tuner::seconds_left() const {
    return 1e-9 * static_cast<double>(ends_at_ns_ - now_ns());
}

void Tuner::run() {
    Progress progress(runs_left_, !options_.quiet);
    for (int pass = 0; pass < passes; ++pass) {
        for (std::vector<Contested>& contests : contests_) {
            run_members(contests, progress, pass);
        }
    }
}

void Tuner::run_members(std::vector<Contested>& contests, Progress& progress, int pass) {
    if (seconds_left() <= 0) {
        return;
    }
    const int members = contests.front().task.work.members;
    std::size_t most_bytes = 0;
    for (const Contested& contested : contests) {
        most_bytes = std::max(most_bytes, contested.task.work.bytes());
    }
    TuttiRunner runner({.members = members,
                        .placement = options_.placement,
                        .crowded = static_cast<std::size_t>(members) > machine_.pus.size(),
                        .most_bytes = most_bytes,
                        .method = options_.method});
    std::map<std::pair<Collective, tuning::Operands>, Rows> hopeless;
    for (Contested& contested : contests) {
        const double seconds = seconds_left();
        if (seconds <= 0) {
            return;
        }
        const Work& work = contested.task.work;
        progress.step(fmt::format("pass {} of {}, {} members", pass + 1, passes, members),
                      fmt::format("{} of {}, {:.0f} s left", to_string(work.collective),
                                  format_bytes(work.bytes()), seconds));
        measure(runner, contested, hopeless[{work.collective, contested.task.operands}],
                seconds / static_cast<double>(runs_left_));
        --runs_left_;
    }
}

void Tuner::measure(TuttiRunner& runner, Contested& contested, Rows& hopeless, double seconds) {
    ContestResult result =
        contest(runner, contested.task.work, rows_left(contested, hopeless), contested.built_in, seconds);
    wrong_ += result.wrong;
    for (Sampled& sampled : result.samples) {
        const auto known = std::ranges::find(contested.samples, sampled.row, &Sampled::row);
        if (known == contested.samples.end()) {
            contested.samples.push_back(std::move(sampled));
        } else {
            known->us.insert(known->us.end(), sampled.us.begin(), sampled.us.end());
        }
    }
    note_hopeless(contested, hopeless);
}

/// Those that are still to be measured: all at first, then what comes near the fastest, and the built-in one.
std::vector<std::size_t> Tuner::rows_left(const Contested& contested, const Rows& hopeless) {
    constexpr double near = 1.5;
    std::vector<std::size_t> rows;
    if (contested.samples.empty()) {
        rows = candidates(contested.task.work);
        std::erase_if(rows,
                      [&](std::size_t row) { return row != contested.built_in && hopeless.contains(row); });
        return rows;
    }
    const std::vector<tuning::Measured> medians = ranked(contested.samples, contested.built_in);
    const double best_us = std::ranges::min_element(medians, {}, &tuning::Measured::us)->us;
    for (const tuning::Measured& median : medians) {
        if (median.us <= near * best_us || median.row == contested.built_in) {
            rows.push_back(median.row);
        }
    }
    return rows;
}

/// Vectors that are not small differ in what has to be moved: what is far behind stays there at larger sizes.
void Tuner::note_hopeless(const Contested& contested, Rows& hopeless) {
    constexpr std::size_t not_small_bytes = std::size_t{32} << 10U;
    constexpr double far_behind = 3;
    const std::vector<tuning::Measured> medians = ranked(contested.samples, contested.built_in);
    for (const tuning::Measured& median : medians) {
        if (contested.task.work.bytes() >= not_small_bytes && median.us > far_behind * medians.front().us) {
            hopeless.insert(median.row);
        }
    }
}

Tuned Tuner::tuned(const Contested& contested) const {
    const Work& work = contested.task.work;
    const std::vector<int> cpus =
        machine::place(machine_, work.members, machine::parse_placement(options_.placement));
    const tuning::Point point{work.collective, contested.task.operands, work.members,
                              tuning::l3_groups(machine_, cpus), work.bytes()};
    return {{point, ranked(contested.samples, contested.built_in)}, contested.built_in};
}

std::vector<Tuned> Tuner::tuned() const {
    std::vector<Tuned> all;
    for (const std::vector<Contested>& contests : contests_) {
        for (const Contested& contested : contests) {
            if (!contested.samples.empty()) {
                all.push_back(tuned(contested));
            }
        }
    }
    std::ranges::sort(all, {}, [](const Tuned& each) { return each.entry.point; });
    return all;
}

std::size_t Tuner::left_out() const {
    std::size_t count = 0;
    for (const std::vector<Contested>& contests : contests_) {
        count += static_cast<std::size_t>(std::ranges::count_if(
            contests, [](const Contested& contested) { return contested.samples.empty(); }));
    }
    return count;
}

} // namespace tutti::bench
