#pragma once

#include "algorithm/registry.hpp"
#include "interpreter_state.hpp"
#include "plan/partition.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tutti::test {

/// What callers pass to a collective and expect of it: which part of the logical vector a member's input and
/// output have, what is in them before the call, and what has to be in them after it.
class Caller {
public:
    Caller(const schedule::Schedule& schedule, const plan::Partition& partition, bool in_place,
           algorithm::Order order)
        : collective_(schedule.collective()), ranks_(schedule.ranks()), root_(schedule.root()),
          partition_(partition), in_place_(in_place), order_(order) {}

    /// A member's input or output before the call. In place both are one vector, the input.
    Memory before(int rank, schedule::Space space, int operation) const;

    /// What is wrong with the vector after the call, or nothing.
    std::string check(int rank, schedule::Space space, int operation, const Memory& found);

    /// Whether every member's result depends on every member's input, so that nobody returns before everybody
    /// has entered.
    bool everybody_enters_first() const;

private:
    struct Extent {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    bool is_root(int rank) const { return rank == root_; }
    std::size_t offset(int block) const { return partition_.offset(static_cast<std::size_t>(block)); }
    Extent own(int rank) const { return {offset(rank), offset(rank + 1) - offset(rank)}; }
    bool is_own(int rank, std::size_t element) const {
        return element >= offset(rank) && element < offset(rank + 1);
    }
    int owner_of(std::size_t element) const;
    Extent extent(int rank, schedule::Space space) const;
    bool contributes(int rank, std::size_t element) const;
    bool is_result(int rank, schedule::Space space, std::size_t element) const;
    std::vector<std::string> wanted(int rank, std::size_t element, int operation) const;
    std::string check_result(int rank, std::size_t element, int operation, const std::string& found);

    schedule::Collective collective_;
    int ranks_;
    int root_;
    plan::Partition partition_;
    bool in_place_;
    algorithm::Order order_;
    /// The bracketing found first for an operation, element and rank, where these matter.
    std::map<std::tuple<int, std::size_t, int>, std::string> agreed_;
};

} // namespace tutti::test
