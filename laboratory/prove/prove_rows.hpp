#pragma once

#include "algorithm/registry.hpp"
#include "schedule/synchronise.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tutti::laboratory {

/// For more ranks only one root is examined and, if each rank has a program of its own, only one protocol:
/// another one from one number of ranks to the next.
inline constexpr int all_up_to = 128;

/// The findings about one row of the registry.
struct Verdict {
    const algorithm::Algorithm* row = nullptr;
    /// Numbers of ranks that were examined: those that the row supports.
    std::size_t ranks = 0;
    /// Schedules proved with their waits: one for each number of ranks, root (or distance) and protocol.
    std::size_t proofs = 0;
    /// Schedules found to be one that was proved except for the names of the members.
    std::size_t renamed = 0;
    std::size_t violations = 0;
    /// Schedules whose rounds, blocks, reductions or scratch differ from the closed forms.
    std::size_t miscounts = 0;
    /// Schedules whose proof would take more memory than there is; their counts were checked.
    std::size_t too_large = 0;
    /// Whether roots or protocols were left out, as of more than `all_up_to` ranks.
    bool is_sampled = false;
    /// The first few of all three in words.
    std::vector<std::string> texts;
};

/// The protocols in which a row can be carried out.
std::vector<schedule::Protocol> protocols_of(const algorithm::Algorithm& row);

/// Those in which a schedule of the row is proved: all, but of more than 128 ranks that each have a program
/// of their own one that depends on the number of ranks only.
std::vector<schedule::Protocol> forms_to_prove(const algorithm::Algorithm& row,
                                               const schedule::Schedule& schedule);

/// "separate", "in place", "carried"
std::string name_of(schedule::Protocol protocol);

/// The roots (of a shift, the distances) that are looked at: all of up to 128 ranks, of more one that
/// depends on `ranks` only: the first, the last or any; 0 if the row has none.
std::vector<int> roots_of(const algorithm::Algorithm& row, int ranks);

/// Whether the counts of a schedule agree with the closed forms: equal or at most, by the row's bound.
bool agrees(const algorithm::CostTerms& counted, const algorithm::CostTerms& expected,
            algorithm::Bound bound);

/// Verifies every row in every protocol for every number of ranks that it serves, on all CPUs, and holds its
/// counts against the closed forms. `on_done()` is called, by one thread at a time, whenever one (row, ranks)
/// is finished; there are rows * ranks of them. Only one of those that can take gigabytes runs at a time.
std::vector<Verdict>
prove_rows(std::span<const algorithm::Algorithm* const> rows, std::span<const int> ranks,
           const std::function<void(const algorithm::Algorithm& row, int ranks)>& on_done);

} // namespace tutti::laboratory
