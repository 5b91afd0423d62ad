#include "threads/selection_input.hpp"
#include "tune/tuning_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::bench;
using tuning::Operands;

namespace {

/// 31 samples within 1 % of the median.
Sampled around(std::size_t row, double median_us) {
    Sampled sampled{row, {}};
    for (int i = -15; i <= 15; ++i) {
        sampled.us.push_back(median_us * (1 + 0.01 * i / 15));
    }
    return sampled;
}

std::vector<std::size_t> rows_of(const std::vector<tuning::Measured>& measured) {
    std::vector<std::size_t> rows;
    rows.reserve(measured.size());
    for (const tuning::Measured& each : measured) {
        rows.push_back(each.row);
    }
    return rows;
}

} // namespace

TEST_CASE("members to tune: all that have a CPU each, and more than that") {
    CHECK(members_to_tune(1) == std::vector<int>{2, 4});
    CHECK(members_to_tune(2) == std::vector<int>{2, 4, 8});
    CHECK(members_to_tune(3) == std::vector<int>{2, 3, 6, 12});
    CHECK(members_to_tune(16) == std::vector<int>{2, 4, 8, 16, 32, 64});
    CHECK(members_to_tune(96) == std::vector<int>{2, 4, 8, 16, 32, 64, 96});
}

TEST_CASE("every collective is tuned for every kind of operands, and nothing twice") {
    const std::vector<TuningTask> tasks = tasks_for(4, {8, 16, 1024});
    std::set<std::pair<Collective, Operands>> kinds;
    std::set<tuning::Point> points;
    for (const TuningTask& task : tasks) {
        kinds.insert({task.problem.collective, task.operands});
        points.insert({task.problem.collective, task.operands, 4, 1, task.problem.bytes()});
        CHECK(engine::operands_of(selection_input_of(task.problem).call) == task.operands);
    }
    CHECK(kinds.size() == 7 + 2 * 5);
    CHECK(points.size() == tasks.size());
}

TEST_CASE("the choice is the built-in one unless another is clearly faster") {
    const auto choice = [](double built_in_us, double other_us) {
        const std::vector<Sampled> samples{around(7, other_us), around(3, built_in_us), around(5, 100)};
        return ranked(samples, 3).front().row;
    };
    CHECK(choice(10, 12) == 3);
    CHECK(choice(10, 10) == 3);
    CHECK(choice(10, 9.7) == 3);
    CHECK(choice(10, 9) == 7);
    // Two runs each may differ by chance.
    const std::vector<Sampled> few{{7, {5, 5.1}}, {3, {10, 10.1}}};
    CHECK(ranked(few, 3).front().row == 3);
}

TEST_CASE("after the choice the others follow, the fastest first, with four digits") {
    const std::vector<Sampled> samples{around(1, 30), around(2, 10.1), around(3, 10), around(4, 20)};
    CHECK(rows_of(ranked(samples, 2)) == std::vector<std::size_t>{2, 3, 4, 1});
    CHECK(rows_of(ranked(samples, 1)) == std::vector<std::size_t>{3, 2, 4, 1});
    CHECK(ranked(std::vector<Sampled>{around(1, 1.0 / 3)}, 1).front().us == 0.3333);
    CHECK(ranked(std::vector<Sampled>{around(1, 123456.7)}, 1).front().us == 123500);
    CHECK(ranked(std::vector<Sampled>{around(1, 0)}, 1).front().us == 0);
}

TEST_CASE("candidates give the bits of the built-in choice, which is one of them") {
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 16U, std::size_t{1} << 28U}) {
        for (const int members : {2, 3, 8}) {
            for (const TuningTask& task : tasks_for(members, {bytes})) {
                const std::vector<std::size_t> rows = candidates(task.problem);
                const SelectionInput input = selection_input_of(task.problem);
                const std::size_t built_in = engine::select(input.call, input.size, {}).row;
                CHECK(std::ranges::find(rows, built_in) != rows.end());
                CHECK(rows.size() <= 64); // a bit each in time_algorithms()
                for (const std::size_t row : rows) {
                    CHECK(tuning::may_choose(algorithm::registry()[row], task.operands, members));
                }
            }
        }
    }
}
