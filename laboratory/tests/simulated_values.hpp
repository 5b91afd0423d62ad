#pragma once

#include "schedule/schedule.hpp"
#include "tests/std.hpp"

namespace tutti::test {

/// The value of a member's block in an operation. Sums of these keep their association.
inline std::string leaf(int member, int operation, int block) {
    return "<" + std::to_string(member) + "." + std::to_string(operation) + "." + std::to_string(block) + ">";
}

/// The inputs in a value, from left to right.
inline std::vector<std::string> leaves(const std::string& value) {
    std::vector<std::string> found;
    for (std::size_t first = value.find('<'); first != std::string::npos;
         first = value.find('<', first + 1)) {
        found.push_back(value.substr(first, value.find('>', first) + 1 - first));
    }
    return found;
}

/// A value without the numbers of its blocks, so that only the bracketing and the members are left.
inline std::string without_blocks(const std::string& value) {
    std::string tree;
    for (std::size_t at = 0; at < value.size(); ++at) {
        if (value[at] == '.' && value.find('>', at) < value.find('.', at + 1)) {
            at = value.find('>', at);
        }
        tree += value[at];
    }
    return tree;
}

/// The inputs that belong into an output block of a member, in rank order.
inline std::vector<std::string> wanted(const schedule::Schedule& schedule, int operation, int rank,
                                       int block) {
    if (!schedule.graph().empty()) {
        const schedule::Source& source =
            schedule.graph()[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block)];
        return {leaf(source.member, operation, source.block)};
    }
    const detail::Origin origin =
        detail::traits_of(schedule.collective()).origin(rank, block, schedule.ranks(), schedule.root());
    std::vector<std::string> all;
    for (int member = origin.first; member < origin.first + origin.count; ++member) {
        all.push_back(leaf(member, operation, origin.block));
    }
    return all;
}

} // namespace tutti::test
