#pragma once

#include "measure/problem.hpp"
#include "tuning/table.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::bench {

/// The numbers of members that `tutti tune` measures unless told otherwise: powers of two and all that have a
/// CPU each, then two and four for each CPU; none above 64 but the CPUs themselves. Ascending.
std::vector<int> members_to_tune(int cpus);

/// One thing to measure, and the point of a table that it makes.
struct TuningTask {
    Problem problem;
    tuning::Operands operands = tuning::Operands::moved;
};

/// Every collective at every size, once for each kind of operands that it can have: vectors of i64 or f64.
/// Ascending by size, so that what a measurement says is known for larger ones.
std::vector<TuningTask> tasks_for(int members, const std::vector<std::size_t>& bytes);

/// The run lengths of one algorithm, as its row in the registry.
struct Sampled {
    std::size_t row = 0;
    std::vector<double> us;
};

/// How many times as long another one has to take for its place to be taken.
inline constexpr double least_gain = 1.05;

/// Their medians, the choice first, the others ascending. The choice is the built-in one, unless another one
/// is faster by `least_gain` and differs by more than chance (Mann-Whitney, 1 %). \pre `built_in` is one of
/// them; none is empty
std::vector<tuning::Measured> ranked(std::span<const Sampled> samples, std::size_t built_in);

} // namespace tutti::bench
