// Schedules that claim to work with input and output in one vector, followed message by message.

#include "algorithm/registry.hpp"
#include "hybrid/src/schedule/message_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tutti::hybrid {

namespace {

using schedule::Place;
using schedule::Space;

/// The vectors of one process, block by block; the input is the output.
class Memory {
public:
    Memory(int blocks, const std::string& operand) : blocks_(blocks) {
        for (int block = 0; block < blocks; ++block) {
            vectors_[Space::output].push_back(operand);
        }
    }
    std::vector<std::string> read(const Place& place) {
        std::vector<std::string> read;
        for (int i = 0; i < place.blocks.count; ++i) {
            read.push_back(at(place, i));
        }
        return read;
    }
    void write(const Place& place, const std::vector<std::string>& values) {
        for (int i = 0; i < place.blocks.count; ++i) {
            at(place, i) = values[static_cast<std::size_t>(i)];
        }
    }

private:
    std::string& at(const Place& place, int i) {
        std::vector<std::string>& vector =
            vectors_[place.space == Space::input ? Space::output : place.space];
        vector.resize(static_cast<std::size_t>(blocks_));
        return vector[static_cast<std::size_t>((place.blocks.first + i) % blocks_)];
    }

    int blocks_;
    std::map<Space, std::vector<std::string>> vectors_;
};

using Received = std::vector<std::vector<std::string>>;

void make_moves(Memory& memory, const RankSchedule::Round& round, const Received& received) {
    const auto operand = [&](const Place& place, int index) {
        return index == RankSchedule::own_place ? memory.read(place)
                                                : received[static_cast<std::size_t>(index)];
    };
    const auto add = [](std::vector<std::string>& result, const std::vector<std::string>& more) {
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] += more[i];
        }
    };
    for (std::size_t first = 0; first < round.moves.size();) {
        const schedule::Place to = round.moves[first].move.to;
        std::vector<std::string> result = operand(round.moves[first].move.left, round.moves[first].left);
        std::size_t end = first;
        do { // the moves of a pass
            const RankSchedule::Move& move = round.moves[end];
            if (end != first) {
                add(result, operand(move.move.left, move.left));
            }
            if (move.move.has_right()) {
                add(result, operand(move.move.right, move.right));
            }
            ++end;
        } while (end < round.moves.size() && round.moves[end].move.joins);
        memory.write(to, result);
        first = end;
    }
}

/// The final contents of all blocks of all processes. `late`: messages from the input leave their sender
/// after it has stored the results of the round, which is possible if it stores while they are on their way.
std::vector<std::string> results(const std::vector<RankSchedule>& parts, bool late) {
    std::vector<Memory> memories;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        memories.emplace_back(parts[rank].blocks, std::string(1, static_cast<char>('a' + rank)));
    }
    for (std::size_t round = 0; round < parts[0].rounds.size(); ++round) {
        const std::vector<Memory> before = memories;
        for (int pass = 0; pass < (late ? 2 : 1); ++pass) {
            std::vector<Memory> senders = pass == 0 ? before : memories;
            std::vector<Memory> next = before;
            for (std::size_t rank = 0; rank < parts.size(); ++rank) {
                const RankSchedule::Round& own = parts[rank].rounds[round];
                Received received;
                for (const RankSchedule::Message& message : own.receives) {
                    const auto peer = static_cast<std::size_t>(message.peer);
                    for (const Place& place : message.places) {
                        const bool is_late =
                            place.space == Space::input && parts[peer].rounds[round].only_stores_received;
                        Memory sender = is_late ? senders[peer] : before[peer];
                        received.push_back(sender.read(place));
                    }
                }
                make_moves(next[rank], own, received);
            }
            memories = next;
        }
    }
    std::vector<std::string> all;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        const auto blocks = memories[rank].read({0, Space::output, {0, parts[rank].blocks}});
        all.insert(all.end(), blocks.begin(), blocks.end());
    }
    return all;
}

std::string letters(int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
        all += static_cast<char>('a' + i);
    }
    return all;
}

} // namespace

TEST_CASE("allreduces that work in place give every process all operands in rank order") {
    int in_place = 0;
    int not_in_place = 0;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        for (const int processes : {2, 3, 4, 5, 6, 7, 8, 12, 16}) {
            if (row.collective != Collective::allreduce || row.reach != algorithm::Reach::peers ||
                !takes(row, processes)) {
                continue;
            }
            const schedule::Schedule schedule = row.make(processes, 0);
            std::vector<RankSchedule> parts;
            bool works = true;
            for (int rank = 0; rank < processes; ++rank) {
                parts.push_back(rank_schedule_of(schedule, rank));
                works = works && parts.back().works_in_place;
            }
            (works ? in_place : not_in_place) += 1;
            for (const bool late : {false, true}) {
                for (std::string result : works ? results(parts, late) : std::vector<std::string>()) {
                    std::ranges::sort(result); // not every row keeps the order
                    CHECK_MESSAGE(result == letters(processes), row.name, ", ", processes);
                }
            }
        }
    }
    CHECK(in_place > 0);
    MESSAGE(in_place, " in place, ", not_in_place, " not");
}

} // namespace tutti::hybrid
