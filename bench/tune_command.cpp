#include "tune_command.hpp"

#include "algorithm/registry.hpp"
#include "bench_options.hpp"
#include "clock.hpp"
#include "contest.hpp"
#include "environment.hpp"
#include "machine/placement.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "question.hpp"
#include "tuning/file.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/load.hpp"
#include "tuning_plan.hpp"
#include "usage.hpp"

#include <tutti/error.hpp>
#include <tutti/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace tutti::bench {

namespace {

class Tuning {
public:
    Tuning(const BenchOptions& options, double seconds)
        : options_(options), machine_(tuning::this_machine()),
          ends_at_ns_(now_ns() + static_cast<std::int64_t>(seconds * 1e9)) {
        for (const int members : options.members) {
            tasks_.push_back(tasks_for(members, options.bytes));
            tasks_left_ += tasks_.back().size();
        }
        table_ = {TUTTI_VERSION_STRING, tuning::fingerprint(machine_), {}};
    }

    void run() {
        Progress progress(tasks_left_, !options_.quiet);
        for (const std::vector<TuningTask>& tasks : tasks_) {
            run_members(tasks, progress);
        }
        std::ranges::sort(table_.entries, {}, &tuning::Entry::point);
    }

    const tuning::Table& table() const { return table_; }
    /// A line for each entry that does not choose as the library does without.
    const std::vector<std::string>& changes() const { return changes_; }
    std::uint64_t wrong() const { return wrong_; }
    /// Tasks for which the time did not last.
    std::size_t tasks_left() const { return tasks_left_; }

private:
    /// Rows that are not tried at larger sizes.
    using LeftOut = std::map<std::pair<Collective, tuning::Operands>, std::set<std::size_t>>;

    void run_members(const std::vector<TuningTask>& tasks, Progress& progress) {
        if (now_ns() >= ends_at_ns_) {
            return;
        }
        const int members = tasks.front().work.members;
        std::size_t most_bytes = 0;
        for (const TuningTask& task : tasks) {
            most_bytes = std::max(most_bytes, task.work.bytes());
        }
        TuttiRunner runner({.members = members,
                            .placement = options_.placement,
                            .crowded = static_cast<std::size_t>(members) > machine_.pus.size(),
                            .most_bytes = most_bytes,
                            .method = options_.method});
        const std::vector<int> cpus =
            machine::place(machine_, members, machine::parse_placement(options_.placement));
        LeftOut left_out;
        for (const TuningTask& task : tasks) {
            const double seconds_left = 1e-9 * static_cast<double>(ends_at_ns_ - now_ns());
            if (seconds_left <= 0) {
                return;
            }
            progress.step(fmt::format("{} members, {}", members, format_bytes(task.work.bytes())),
                          fmt::format("{}, {:.0f} s left", to_string(task.work.collective), seconds_left));
            run_task(runner, task, tuning::l3_groups(machine_, cpus), left_out,
                     seconds_left / static_cast<double>(tasks_left_));
            --tasks_left_;
        }
    }

    void run_task(TuttiRunner& runner, const TuningTask& task, int l3_groups, LeftOut& left_out,
                  double seconds) {
        const Work& work = task.work;
        const Question question = question_of(work);
        const std::size_t built_in = execute::select(question.call, question.size, {}).row;
        std::set<std::size_t>& hopeless = left_out[{work.collective, task.operands}];
        std::vector<std::size_t> rows = candidates(work);
        std::erase_if(rows, [&](std::size_t row) { return row != built_in && hopeless.contains(row); });
        const ContestResult result = contest(runner, work, rows, built_in, seconds);
        wrong_ += result.wrong;
        tuning::Entry entry{{work.collective, task.operands, work.members, l3_groups, work.bytes()},
                            ranked(result.samples, built_in)};
        note_hopeless(entry, hopeless);
        note_change(entry, built_in);
        table_.entries.push_back(std::move(entry));
    }

    /// Vectors that are not small differ in what has to be moved: what is far behind stays there.
    static void note_hopeless(const tuning::Entry& entry, std::set<std::size_t>& hopeless) {
        constexpr std::size_t not_small_bytes = std::size_t{32} << 10U;
        constexpr double far_behind = 3;
        for (const tuning::Measured& measured : entry.measured) {
            if (entry.point.bytes >= not_small_bytes &&
                measured.us > far_behind * entry.measured.front().us) {
                hopeless.insert(measured.row);
            }
        }
    }

    void note_change(const tuning::Entry& entry, std::size_t built_in) {
        const tuning::Measured& choice = entry.measured.front();
        if (choice.row == built_in) {
            return;
        }
        const auto before = std::ranges::find(entry.measured, built_in, &tuning::Measured::row);
        const auto rows = algorithm::registry();
        changes_.push_back(fmt::format(
            "{:<15} {:<7} {:>3} members {:>8}  {} {} instead of {} {}", to_string(entry.point.collective),
            to_string(entry.point.operands), entry.point.members, format_bytes(entry.point.bytes),
            rows[choice.row].name, format_us(choice.us), rows[built_in].name, format_us(before->us)));
    }

    const BenchOptions& options_;
    const machine::Machine& machine_;
    std::int64_t ends_at_ns_;
    std::vector<std::vector<TuningTask>> tasks_;
    std::size_t tasks_left_ = 0;
    tuning::Table table_;
    std::vector<std::string> changes_;
    std::uint64_t wrong_ = 0;
};

BenchOptions parsed(const TuneArguments& arguments) {
    BenchArguments measuring;
    measuring.begin = arguments.begin;
    measuring.end = arguments.end;
    measuring.factor = arguments.factor;
    measuring.members = arguments.members;
    measuring.placement = arguments.placement;
    measuring.seconds = arguments.seconds;
    measuring.quiet = arguments.quiet;
    if (arguments.members == "auto") {
        const auto cpus = static_cast<int>(tuning::this_machine().pus.size());
        measuring.members = fmt::format("{}", fmt::join(members_to_tune(cpus), ","));
    }
    BenchOptions options = measuring.parsed();
    if (options.members.front() < 2) {
        throw UsageError("--members: 1 member has nothing to choose; any number from 2 on works");
    }
    check_memory(options);
    return options;
}

/// A file that the library then refuses would be of no use.
void write(const tuning::Table& table, const std::string& path) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << tuning::to_text(table);
    file.close();
    if (!file) {
        throw EnvironmentUnfit(fmt::format("cannot write {}", path));
    }
    try {
        tuning::load(path, tuning::this_machine());
    } catch (const std::invalid_argument& error) {
        throw EnvironmentUnfit(fmt::format("{} is not as it was written: {}", path, error.what()));
    }
}

int tune(const BenchOptions& options, const TuneArguments& arguments) {
    fmt::print("tutti on {}, placement {}\n", machine_line(tuning::this_machine()), options.placement);
    Tuning tuning(options, arguments.seconds);
    tuning.run();
    if (tuning.wrong() > 0) {
        fmt::print("{} wrong elements; nothing is written\n", tuning.wrong());
        return exit_wrong;
    }
    write(tuning.table(), arguments.output);
    for (const std::string& change : tuning.changes()) {
        fmt::print("{}\n", change);
    }
    if (tuning.tasks_left() > 0) {
        fmt::print("{} points are left out for which --seconds {} did not last\n", tuning.tasks_left(),
                   arguments.seconds);
    }
    fmt::print("{} points, {} of them chosen otherwise than by the library itself\n"
               "written to {}: set TUTTI_TUNING to its path, or the option tuning of a team or group\n",
               tuning.table().entries.size(), tuning.changes().size(), arguments.output);
    return exit_fine;
}

} // namespace

int run_tune(const TuneArguments& arguments) {
    const BenchOptions options = parsed(arguments);
    // Minutes of measuring should not end with a file that cannot be written.
    if (!std::ofstream(arguments.output, std::ios::app)) {
        throw UsageError(fmt::format("output: cannot write {}", arguments.output));
    }
    try {
        return tune(options, arguments);
    } catch (const ArgumentError& error) {
        throw UsageError(error.what());
    }
}

} // namespace tutti::bench
