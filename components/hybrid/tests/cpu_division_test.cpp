// How the processes of a node divide its CPUs.

#include "hybrid/src/channel/cpu_division.hpp"
#include "machine/machine.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

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

TEST_CASE("identical masks are divided in rank order") {
    const Masks masks(2, Cpus{0, 1, 2, 3, 6});
    CHECK(share(masks, 0, "identical") == Cpus{0, 1});
    CHECK(share(masks, 1, "identical") == Cpus{2, 3, 6});
}

TEST_CASE("processes get CPUs that are near each other, whatever the system's numbers are") {
    for (const int threads_of_core : {1, 2}) {
        const machine::Machine machine = interleaved(threads_of_core);
        for (const int processes : {1, 2, 3, 4, 5, 8, 16, 32}) {
            CAPTURE(threads_of_core);
            CAPTURE(processes);
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

TEST_CASE("more processes than CPUs share them in turn") {
    const Masks masks(3, Cpus{4, 5});
    CHECK(share(masks, 0, "in turn") == Cpus{4});
    CHECK(share(masks, 1, "in turn") == Cpus{5});
    CHECK(share(masks, 2, "in turn") == Cpus{4});
}

TEST_CASE("processes that share a mask divide that") {
    const Masks masks{{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}};
    CHECK(share(masks, 0, "identical or share no CPU") == Cpus{0, 1});
    CHECK(share(masks, 1, "in rank order") == Cpus{4, 5});
    CHECK(share(masks, 2, "in rank order") == Cpus{2, 3});
    CHECK(share(masks, 3, "in rank order") == Cpus{6, 7});
}

TEST_CASE("masks that share no CPU are kept") {
    const Masks masks{{0, 1}, {3}};
    CHECK(share(masks, 0, "kept") == Cpus{0, 1});
    CHECK(share(masks, 1, "kept") == Cpus{3});
}

TEST_CASE("masks that overlap: nobody gets a CPU that it may not use, nor one that another has") {
    const Masks masks{{0, 1, 2}, {2, 3}, {2}};
    CHECK(share(masks, 0, "overlap") == Cpus{0, 1});
    CHECK(share(masks, 1, "overlap") == Cpus{3});
    CHECK(share(masks, 2, "overlap") == Cpus{2});
}

} // namespace tutti::hybrid
