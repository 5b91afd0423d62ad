#pragma once

#include "schedule/schedule.hpp"
#include "schedule/synchronise.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tutti::algorithm {

/// What an algorithm asks of the operator, weakest first.
///
/// - associative: any; operands are combined in rank order
/// - commutative: operands are combined in some order, the same one for every member
/// - exact: operands are combined in different orders by different members, so the operator must give the
/// same
///   bits in any order (integers; min and max; not floating-point sums)
/// - none: nothing is combined
enum class OperatorNeeds { none, associative, commutative, exact };

std::string_view to_string(OperatorNeeds needs);

/// Counts per member: communication rounds, and blocks (of the schedule's own block size) received and
/// combined.
struct Counts {
    long rounds = 0;
    long blocks = 0;
    long reductions = 0;

    friend bool operator==(const Counts&, const Counts&) = default;
};

/// One row of the registry: an algorithm for one collective and everything known about it.
struct Algorithm {
    std::string_view name;
    schedule::Collective collective;
    OperatorNeeds needs;
    /// Combined in rank order with the same bracketing for every element and member.
    bool canonical;
    /// Small messages may travel inside the mailbox (schedule::Form::carried).
    bool carries;
    /// Messages may be pulled from and stored to the members' vectors (schedule::Form::separate).
    bool pulls;
    /// That also works when input and output are the same memory (schedule::Form::in_place): nobody
    /// overwrites in a round what others read in it.
    bool pulls_in_place;
    std::string_view source;
    schedule::Schedule (*make)(int ranks);
    /// Closed forms for `ranks` members, as the source proves them. `reductions` may be an upper bound.
    Counts (*counts)(int ranks);
    bool reductions_at_most;
};

/// Whether the row's schedules can be carried out in this form.
bool takes(const Algorithm& algorithm, schedule::Form form);

/// All rows, in the order in which they are listed to users.
std::span<const Algorithm> registry();

/// The row called `name` for a collective, or nothing.
const Algorithm* find(schedule::Collective collective, std::string_view name);

/// The names registered for a collective, separated by ", ".
std::string names(schedule::Collective collective);

} // namespace tutti::algorithm
