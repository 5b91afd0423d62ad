#include "tune/algorithm_times.hpp"

#include "algorithm/registry.hpp"
#include "threads/tutti_calls.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace tutti::bench {

namespace {

/// One member's runs of the algorithms that take turns.
class AlgorithmRuns {
public:
    AlgorithmRuns(Harness& harness, Member& me, const TuttiRunner& runner, const Problem& problem,
                  const std::vector<std::size_t>& rows)
        : harness_(harness), data_(problem, me.rank()) {
        const Vectors vectors = runner.vectors(problem);
        const auto own = static_cast<std::size_t>(me.rank());
        input_ = vectors.inputs[own];
        output_ = vectors.outputs[own];
        for (const std::size_t row : rows) {
            calls_.push_back(
                tutti_calls(me, problem, std::string(algorithm::registry()[row].name), input_, output_));
        }
    }

    /// The number of wrong elements, of all members.
    std::uint64_t check() {
        std::size_t wrong = 0;
        std::uint64_t salt = 0;
        for (const Calls& calls : calls_) {
            data_.spoil_output(output_);
            data_.write_input(input_, ++salt);
            harness_.meet();
            calls(1);
            wrong += data_.wrong(output_, salt);
            harness_.meet();
        }
        return harness_.total(wrong);
    }

    /// The run lengths of those whose bits are set, on the leader; of the others none.
    std::vector<std::vector<double>> measure(std::uint64_t chosen, const Limits& limits) {
        std::vector<Timed> timed;
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            if ((chosen >> i & 1U) != 0) {
                timed.push_back({.run = calls_[i], .prepare = [this](std::uint64_t salt) {
                                     data_.read_output(output_);
                                     data_.write_input(input_, salt);
                                 }});
            }
        }
        auto measured = harness_.measure(timed, limits);
        std::vector<std::vector<double>> lengths_us(calls_.size());
        for (std::size_t i = 0, next = 0; i < calls_.size(); ++i) {
            if ((chosen >> i & 1U) != 0) {
                lengths_us[i] = std::move(measured[next++]);
            }
        }
        return lengths_us;
    }

private:
    Harness& harness_;
    Data data_;
    std::byte* input_ = nullptr;
    std::byte* output_ = nullptr;
    std::vector<Calls> calls_;
};

/// A bit for each row that goes on after the first runs.
std::uint64_t finalists(const std::vector<std::vector<double>>& lengths_us,
                        const std::vector<std::size_t>& rows, std::size_t built_in) {
    constexpr double near = 1.5;
    std::vector<double> shortest;
    shortest.reserve(rows.size());
    for (const std::vector<double>& lengths : lengths_us) {
        shortest.push_back(lengths.empty() ? std::numeric_limits<double>::max() : std::ranges::min(lengths));
    }
    const double best = std::ranges::min(shortest);
    std::uint64_t chosen = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (shortest[i] <= near * best || rows[i] == built_in) {
            chosen |= std::uint64_t{1} << i;
        }
    }
    return chosen;
}

} // namespace

AlgorithmTimes time_algorithms(TuttiRunner& runner, const Problem& problem,
                               const std::vector<std::size_t>& rows, std::size_t built_in, double seconds) {
    AlgorithmTimes result;
    runner.run_measured([&](Harness& harness, Member& me) {
        AlgorithmRuns runs(harness, me, runner, problem, rows);
        const std::uint64_t wrong = runs.check();
        const std::uint64_t all = (std::uint64_t{1} << rows.size()) - 1;
        auto first = runs.measure(all, {.least = 1, .most = 5, .seconds = 0.3 * seconds});
        const std::uint64_t chosen = harness.agree(harness.leads() ? finalists(first, rows, built_in) : 0);
        auto last = runs.measure(chosen, {.least = 3, .most = 300, .seconds = 0.7 * seconds});
        if (harness.leads()) {
            result.wrong = wrong;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                result.samples.push_back({rows[i], std::move((last[i].empty() ? first : last)[i])});
            }
        }
    });
    return result;
}

} // namespace tutti::bench
