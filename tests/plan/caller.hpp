#pragma once

#include "../std.hpp"
#include "algorithm/registry.hpp"
#include "plan/plan.hpp"
#include "promise.hpp"
#include "schedule/schedule.hpp"

namespace tutti::test {

/// Operations back to back, so that slots are used again.
inline constexpr int operations = 3;
/// The content of an element that nobody has written.
inline const std::string poison = "?";

/// The contribution of a member to an element in an operation.
inline std::string leaf(int member, int operation, std::size_t element) {
    return "<" + std::to_string(member) + "." + std::to_string(operation) + "." + std::to_string(element) +
           ">";
}

/// Reductions keep their bracketing.
inline std::string combined(const std::string& left, const std::string& right) {
    return "(" + left + right + ")";
}

/// A vector of which only the elements from `first` on exist.
struct Memory {
    std::size_t first = 0;
    std::vector<std::string> elements;
};

/// The last content that a member put into a slot.
struct Slot {
    int operation = -1;
    int point = -1;
    bool carries = false;
    std::vector<std::string> payload;
};

/// A member: its plan and how far it has come.
struct Member {
    plan::Plan plan;
    std::array<Memory, schedule::space_count> vectors;
    std::array<std::vector<Slot>, 2> slots;
    std::vector<std::string> received;
    int operation = 0;
    std::size_t next = 0;
};

/// The contributions in a value, from left to right; poison counts as one.
inline std::vector<std::string> leaves(const std::string& value) {
    std::vector<std::string> found;
    for (std::size_t first = value.find('<'); first != std::string::npos;
         first = value.find('<', first + 1)) {
        found.push_back(value.substr(first, value.find('>', first) + 1 - first));
    }
    if (value.find(poison) != std::string::npos) {
        found.push_back(poison);
    }
    return found;
}

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
