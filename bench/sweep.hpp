#pragma once

#include "algorithm/registry.hpp"
#include "schedule/synchronise.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tutti::bench {

/// What was found about one row of the registry.
struct Verdict {
    const algorithm::Algorithm* row = nullptr;
    /// Numbers of ranks for which all forms were looked at.
    std::size_t ranks = 0;
    std::size_t violations = 0;
    /// Numbers of ranks for which rounds, blocks or reductions are not what the closed form says.
    std::size_t miscounts = 0;
    /// The first few of both kinds in words.
    std::vector<std::string> texts;
};

/// The forms in which a row can be carried out.
std::vector<schedule::Form> forms_of(const algorithm::Algorithm& row);

/// "separate", "in place", "carried"
std::string name_of(schedule::Form form);

/// Verifies every row in every form for every number of ranks, on all CPUs. `on_done()` is called, by one
/// thread at a time, whenever one (row, ranks) is finished; there are rows * ranks of them.
std::vector<Verdict> sweep(std::span<const algorithm::Algorithm* const> rows, std::span<const int> ranks,
                           const std::function<void(const algorithm::Algorithm& row, int ranks)>& on_done);

} // namespace tutti::bench
