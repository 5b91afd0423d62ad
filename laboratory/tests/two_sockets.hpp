#pragma once

#include "algorithm/registry.hpp"
#include "distance/line_profile.hpp"
#include "simulate/ports.hpp"
#include "simulate/simulation.hpp"
#include "tests/std.hpp"

namespace tutti {

inline distance::Number number(double value) {
    return {value, 0};
}

inline distance::LineCosts line_costs(double one_way, double base, double taken_back, double flag,
                                      double fetch) {
    return {number(one_way), number(one_way),    number(one_way), number(base),  number(2),
            number(flag),    number(taken_back), number(fetch),   number(fetch), number(fetch)};
}

inline distance::Bandwidth bandwidth(double read, double write) {
    return {number(read), number(write), number(write)};
}

/// Two sockets of one L3 each. From call to store 20 ns; a line of the own caches 4 ns, of others in the
/// socket 4 ns, over the link 16 ns, and as long on the link itself; of memory 8 ns and 16 ns to write.
inline distance::MachineModel two_sockets() {
    distance::MachineModel profile;
    profile.has = {false, true, false, false, true};
    profile.lines[1] = line_costs(50, 100, 60, 20, 16);
    profile.lines[4] = line_costs(150, 700, 180, 30, 4);
    profile.memory[0] = bandwidth(8, 4);
    profile.memory[1] = bandwidth(64, 64);
    profile.memory[4] = bandwidth(4, 4);
    profile.l2 = profile.l3 = {number(16), number(16)};
    profile.exclusive_store = number(10);
    profile.call = number(122);
    return profile;
}

inline constexpr double entering = 20;
inline constexpr double own_line = 4;
inline constexpr double near = 100 + 2; // a single reader has it no later than after 60 + 50

inline std::vector<plan::Plan> plans_of(schedule::Schedule schedule, schedule::Protocol protocol) {
    const auto synchronised = schedule::synchronise(std::move(schedule), protocol);
    std::vector<plan::Plan> plans;
    for (int rank = 0; rank < synchronised.schedule.ranks(); ++rank) {
        plans.push_back(plan::compile(synchronised, rank));
    }
    return plans;
}

inline std::vector<plan::Plan> plans_of(Collective collective, std::string_view name, int ranks,
                                        schedule::Protocol protocol, int root = 0) {
    return plans_of(algorithm::find(collective, name)->make(ranks, root), protocol);
}

/// Elements of a byte.
inline simulate::Payload blocks_of(std::size_t total, std::size_t block) {
    return {.partition = {.total = total, .block = block}};
}

/// Each member on a core of its own.
inline simulate::Positions in_sockets(const std::vector<std::size_t>& sockets) {
    simulate::Positions positions;
    for (std::size_t member = 0; member < sockets.size(); ++member) {
        positions.groups[0].push_back(member);
    }
    positions.groups[1] = positions.groups[2] = positions.groups[3] = sockets;
    return positions;
}

} // namespace tutti
