#pragma once

#include "../test.hpp"
#include "algorithm/registry.hpp"

namespace tutti::test {

/// The schedule of a row that there must be.
inline schedule::Schedule made(Collective collective, std::string_view name, int ranks, int root = 0) {
    const algorithm::Algorithm* const row = algorithm::find(collective, name);
    REQUIRE(row != nullptr);
    return row->make(ranks, root);
}

/// (sender, receiver) and how many blocks.
using Messages = std::map<std::pair<int, int>, int>;

/// The messages of a round, with their lengths, of a schedule in which members name each other one by one.
inline Messages messages(const schedule::Schedule& schedule, int round) {
    Messages found;
    for (int rank = 0; rank < schedule.ranks(); ++rank) {
        const auto program = schedule.program(rank);
        for (const schedule::Move& move : program[static_cast<std::size_t>(round)]) {
            for (const schedule::Place* from : {&move.left, &move.right}) {
                if (from->member != rank && (from == &move.left || move.has_right())) {
                    found[{from->member, rank}] += from->blocks.count;
                }
            }
            if (move.to.member != rank) {
                found[{rank, move.to.member}] += move.to.blocks.count;
            }
        }
    }
    return found;
}

/// The messages that `pairs` exchange with each other, so many blocks each way.
inline Messages exchanges(const std::vector<std::pair<int, int>>& pairs, int blocks) {
    Messages both;
    for (const auto& [a, b] : pairs) {
        both[{a, b}] = both[{b, a}] = blocks;
    }
    return both;
}

/// One way only.
inline Messages sends(const std::vector<std::pair<int, int>>& pairs, int blocks) {
    Messages one;
    for (const auto& pair : pairs) {
        one[pair] = blocks;
    }
    return one;
}

/// `back` sends the messages of `there` the other way, the last ones first.
inline void check_reversed(const schedule::Schedule& there, const schedule::Schedule& back) {
    REQUIRE(there.rounds() == back.rounds());
    for (int round = 0; round < there.rounds(); ++round) {
        Messages reversed;
        for (const auto& [pair, blocks] : messages(there, round)) {
            reversed[{pair.second, pair.first}] = blocks;
        }
        CHECK(messages(back, back.rounds() - 1 - round) == reversed);
    }
}

inline Messages operator+(Messages a, const Messages& b) {
    a.insert(b.begin(), b.end());
    return a;
}

/// The blocks of the largest message of each round, added up: what the papers' alpha-beta times count.
inline long critical_blocks(const schedule::Schedule& schedule) {
    long sum = 0;
    for (int round = 0; round < schedule.rounds(); ++round) {
        int most = 0;
        for (const auto& [pair, blocks] : messages(schedule, round)) {
            most = std::max(most, blocks);
        }
        sum += most;
    }
    return sum;
}

} // namespace tutti::test
