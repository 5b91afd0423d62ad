// What needs no processes: how those of a node divide its CPUs; and schedules that claim to work with input
// and output in one vector, followed message by message.

#include "algorithm/registry.hpp"
#include "hybrid/src/channel/mpi_calls.hpp"
#include "hybrid/src/schedule/transport.hpp"
#include "machine/machine.hpp"
#include "tests/test.hpp"

namespace tutti::hybrid {

namespace {

using Cpus = std::vector<int>;
using Masks = std::vector<Cpus>;

Cpus share(const machine::Machine& machine, const Masks& masks, int rank, const std::string& part_of_note) {
    std::string note;
    Cpus cpus = divided(machine, masks, rank, note);
    CHECK_MESSAGE(note.find(part_of_note) != std::string::npos, note);
    return cpus;
}

Cpus share(const Masks& masks, int rank, const std::string& part_of_note) {
    return share(machine::from_synthetic("core:8 pu:1"), masks, rank, part_of_note);
}

/// Two sockets of four L3 caches with four cores each, whose CPUs the system numbers as it does often: by
/// turns on the sockets, and the second hardware threads last.
machine::Machine interleaved(int threads_of_core) {
    machine::Machine machine =
        machine::from_synthetic("pack:2 [numa] l3:4 l2:4 core:1 pu:" + std::to_string(threads_of_core));
    for (machine::Pu& pu : machine.pus) {
        pu.os_index = pu.core % 16 * 2 + pu.package + 32 * pu.smt;
    }
    return machine;
}

Cpus numbers_of(const machine::Machine& machine) {
    Cpus cpus = machine.os_indices();
    std::ranges::sort(cpus);
    return cpus;
}

/// The parts of the machine in which CPUs are.
std::set<int> parts(const machine::Machine& machine, const Cpus& cpus, int machine::Pu::*part) {
    std::set<int> found;
    for (const machine::Pu& pu : machine.pus) {
        if (std::ranges::find(cpus, pu.os_index) != cpus.end()) {
            found.insert(pu.*part);
        }
    }
    return found;
}

} // namespace

TEST_CASE(
    "masks are divided in rank order, kept if they share no CPU, and nobody gets a CPU that another has") {
    struct Division {
        Masks masks, shares;
        std::string note;
    };
    const Cpus five{0, 1, 2, 3, 6}, two{4, 5}, low{0, 1, 2, 3}, high{4, 5, 6, 7};
    for (const auto& [masks, shares, note] : {
             Division{{five, five}, {{0, 1}, {2, 3, 6}}, "identical"},
             Division{{two, two, two}, {{4}, {5}, {4}}, "in turn"}, // more processes than CPUs
             Division{{low, high, low, high}, {{0, 1}, {4, 5}, {2, 3}, {6, 7}}, "in rank order"},
             Division{{low, high, low, high}, {{0, 1}}, "identical or share no CPU"},
             Division{{{0, 1}, {3}}, {{0, 1}, {3}}, "kept"},
             Division{{{0, 1, 2}, {2, 3}, {2}}, {{0, 1}, {3}, {2}}, "overlap"},
         }) {
        for (std::size_t rank = 0; rank < shares.size(); ++rank) {
            CHECK(share(masks, static_cast<int>(rank), note) == shares[rank]);
        }
    }
}

TEST_CASE("processes get CPUs that are near each other, whatever the system's numbers are") {
    for (const int threads_of_core : {1, 2}) {
        const machine::Machine machine = interleaved(threads_of_core);
        for (const int processes : {1, 2, 3, 4, 5, 8, 16, 32}) {
            INFO(threads_of_core, " threads of a core, ", processes, " processes");
            const Masks masks(static_cast<std::size_t>(processes), numbers_of(machine));
            std::map<int, int> users;
            std::map<int, int> users_of_core;
            std::size_t fewest = 1000, most = 0;
            for (int rank = 0; rank < processes; ++rank) {
                const Cpus cpus = share(machine, masks, rank, processes == 1 ? "kept" : "identical");
                for (const int cpu : cpus) {
                    ++users[cpu];
                }
                for (const int core : parts(machine, cpus, &machine::Pu::core)) {
                    ++users_of_core[core];
                }
                fewest = std::min(fewest, cpus.size());
                most = std::max(most, cpus.size());
                const auto count = [&](int machine::Pu::*part) {
                    return static_cast<int>(parts(machine, cpus, part).size());
                };
                if (32 % processes == 0) { // whole parts of the machine
                    CHECK(count(&machine::Pu::package) == (processes == 1 ? 2 : 1));
                    CHECK(count(&machine::Pu::l3) == std::max(1, 8 / processes));
                    CHECK(count(&machine::Pu::core) == 32 / processes);
                } else {
                    CHECK(count(&machine::Pu::l3) <= 32 / processes / 4 + 2);
                }
                // One on each core first.
                const auto cores = static_cast<std::ptrdiff_t>(cpus.size()) / threads_of_core;
                CHECK(parts(machine, Cpus(cpus.begin(), cpus.begin() + cores), &machine::Pu::core).size() ==
                      static_cast<std::size_t>(cores));
            }
            CHECK(users.size() == machine.pus.size());
            CHECK(std::ranges::all_of(users, [](const auto& user) { return user.second == 1; }));
            CHECK(std::ranges::all_of(users_of_core, [](const auto& user) { return user.second == 1; }));
            CHECK(most - fewest <= static_cast<std::size_t>(threads_of_core));
        }
    }
}

TEST_CASE("a CPU that is missing moves no process to another cache, and few CPUs do not count as a part") {
    machine::Machine machine = interleaved(1);
    machine.pus.pop_back();
    const Masks masks(8, numbers_of(machine));
    for (int rank = 0; rank < 8; ++rank) {
        CHECK(parts(machine, share(machine, masks, rank, "identical"), &machine::Pu::l3) == std::set{rank});
    }
    machine.pus.resize(18); // of the second socket two
    const Masks uneven(2, numbers_of(machine));
    CHECK(share(machine, uneven, 0, "identical").size() == 9);
    CHECK(share(machine, uneven, 1, "identical").size() == 9);
}

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
            in_place += works ? 1 : 0;
            for (const bool late : {false, true}) {
                for (std::string result : works ? results(parts, late) : std::vector<std::string>()) {
                    std::ranges::sort(result); // not every row keeps the order
                    CHECK_MESSAGE(result == letters(processes), row.name, ", ", processes);
                }
            }
        }
    }
    CHECK(in_place > 0);
}

} // namespace tutti::hybrid
