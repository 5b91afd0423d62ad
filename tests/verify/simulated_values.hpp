#pragma once

#include "schedule/schedule.hpp"

#include <string>
#include <vector>

namespace tutti::test {

/// What a member has for a block in an operation. Sums of such keep their bracketing.
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
    const auto first_members = [&](int count) {
        std::vector<std::string> all;
        for (int member = 0; member < count; ++member) {
            all.push_back(leaf(member, operation, block));
        }
        return all;
    };
    switch (schedule.collective()) {
    case Collective::broadcast:
    case Collective::scatter:
        return {leaf(schedule.root(), operation, block)};
    case Collective::allgather:
    case Collective::gather:
        return {leaf(block, operation, block)};
    case Collective::alltoall:
        return {leaf(block, operation, rank)};
    case Collective::shift:
        return {leaf(schedule::wrap(rank - schedule.root(), schedule.ranks()), operation, block)};
    case Collective::scan:
        return first_members(rank + 1);
    case Collective::exscan:
        return first_members(rank);
    case Collective::barrier:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
        break;
    }
    return first_members(schedule.ranks());
}

} // namespace tutti::test
