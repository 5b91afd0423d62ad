#pragma once

#include "algorithm/registry.hpp"
#include "interpreter_state.hpp"
#include "plan/partition.hpp"
#include "promise.hpp"
#include "schedule/schedule.hpp"

namespace tutti::test {

/// The input of callers to a collective and the results that they expect, in strings: the contents of a
/// member's vectors before and after the call.
class Caller {
public:
    Caller(const schedule::Schedule& schedule, const plan::Partition& partition, bool in_place,
           algorithm::Order order)
        : promise_(schedule.collective(), schedule.ranks(), schedule.root(), partition, in_place),
          order_(order) {}

    /// A member's input or output before the call. In place both are one vector, the input.
    Memory before(int rank, schedule::Space space, int operation) const;

    /// The fault of the vector after the call, or nothing.
    std::string check(int rank, schedule::Space space, int operation, const Memory& found);

    /// Whether every member's result depends on every member's input, so that nobody returns before everybody
    /// has entered.
    bool everybody_enters_first() const { return promise_.everybody_enters_first(); }

private:
    std::vector<std::string> wanted(int rank, std::size_t element, int operation) const;
    std::string check_result(int rank, std::size_t element, int operation, const std::string& found);

    Promise promise_;
    algorithm::Order order_;
    /// The bracketing found first for an operation, element and rank, where these matter.
    std::map<std::tuple<int, std::size_t, int>, std::string> agreed_;
};

} // namespace tutti::test
