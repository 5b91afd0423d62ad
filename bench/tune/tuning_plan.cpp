#include "tune/tuning_plan.hpp"

#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::bench {

namespace {

using tuning::Operands;

/// Four digits: more would be noise.
double rounded(double us) {
    if (!(us > 0)) {
        return 0;
    }
    const double unit = std::pow(10, std::floor(std::log10(us)) - 3);
    return unit < 1 ? std::round(us / unit) / std::round(1 / unit) : std::round(us / unit) * unit;
}

} // namespace

std::vector<int> members_to_tune(int cpus) {
    constexpr int most = 64;
    std::vector<int> members;
    for (int count = 2; count < cpus && count <= most; count *= 2) {
        members.push_back(count);
    }
    for (const int count : {cpus, 2 * cpus, 4 * cpus}) {
        if (count >= 2 && (count <= most || count == cpus)) {
            members.push_back(count);
        }
    }
    return members;
}

std::vector<TuningTask> tasks_for(int members, const std::vector<std::size_t>& bytes) {
    std::vector<TuningTask> tasks;
    const auto add = [&](Collective collective, Operands operands, std::size_t size) {
        const Type type = operands == Operands::exact ? Type::i64 : Type::f64;
        const Problem problem = make_problem(collective, type, Operator::sum, members, size, false);
        const auto is_same = [&](const TuningTask& task) { return task.problem == problem; };
        if (std::ranges::none_of(tasks, is_same)) { // sizes are rounded up to whole blocks
            tasks.push_back({problem, operands});
        }
    };
    for (const std::size_t size : bytes) {
        for (const Collective collective : detail::all_collectives) {
            if (detail::traits_of(collective).reduces()) {
                add(collective, Operands::exact, size);
                add(collective, Operands::ordered, size);
            } else {
                add(collective, Operands::moved, size);
            }
        }
    }
    return tasks;
}

std::vector<tuning::Measured> ranked(std::span<const Sampled> samples, std::size_t built_in) {
    constexpr double significance = 0.01;
    std::vector<tuning::Measured> medians;
    for (const Sampled& sampled : samples) {
        medians.push_back({sampled.row, rounded(summarise(sampled.us).median)});
    }
    const auto of_row = [](const auto& list, std::size_t row) {
        return std::ranges::find_if(list, [row](const auto& each) { return each.row == row; });
    };
    std::ranges::stable_sort(medians, {}, &tuning::Measured::us);
    const double built_in_us = of_row(medians, built_in)->us;
    const auto is_better = [&](const tuning::Measured& median) {
        return median.us * least_gain <= built_in_us &&
               mann_whitney(of_row(samples, median.row)->us, of_row(samples, built_in)->us) < significance;
    };
    const auto better = std::ranges::find_if(medians, is_better);
    const auto choice =
        better != medians.end() ? better : std::ranges::find(medians, built_in, &tuning::Measured::row);
    std::rotate(medians.begin(), choice, choice + 1);
    return medians;
}

} // namespace tutti::bench
