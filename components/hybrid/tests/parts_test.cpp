// Clusters of some members of a cluster.

#include "exam.hpp"

namespace tutti::test {

namespace {

/// The place of a member of a cluster: its process, and its number among the process's members.
struct Place {
    int process;
    int local;
};
/// The places of all members, by rank.
std::vector<Place> places_of(mpi::Member& me) {
    std::vector<Place> places(static_cast<std::size_t>(me.size()));
    const Place mine{process_of_world(), me.local().rank()};
    me.allgather(std::span(&mine, 1), places);
    return places;
}

/// The arguments of a member of that rank in a split: a color and a key.
using Asked = std::pair<std::optional<int>, int>;
Asked ask(std::optional<int> color, int key) {
    return {color, key};
}

struct Division {
    const char* name;
    std::function<Asked(int rank, const Place& place)> asks;
};

std::uint32_t hashed(std::uint32_t seed, int rank) {
    std::uint32_t x = seed * 7919 + static_cast<std::uint32_t>(rank) * 104729 + 17;
    x ^= x >> 7U;
    x *= 2654435761U;
    return x >> 13U;
}

std::vector<Division> divisions() {
    std::vector<Division> all{
        {"by process", [](int, const Place& at) { return ask(at.process, 0); }},
        {"by process, the last first", [](int rank, const Place& at) { return ask(7 - at.process, -rank); }},
        {"by pairs of processes", [](int rank, const Place& at) { return ask(at.process / 2, rank); }},
        {"the last first", [](int rank, const Place&) { return ask(1000000, -rank); }},
        {"by parity", [](int rank, const Place&) { return ask(rank % 2, 0); }},
        {"by place in the process", [](int, const Place& at) { return ask(at.local, 5); }},
        {"one of each process",
         [](int, const Place& at) { return ask(at.local == 0 ? std::optional(3) : std::nullopt, 0); }},
        {"one process alone, the others together",
         [](int rank, const Place& at) { return ask(at.process == 0 ? at.local : 1 + 64, rank); }},
        {"none", [](int, const Place&) { return ask(std::nullopt, 0); }},
        {"the members of processes in turn", [](int, const Place& at) { return ask(0, at.local); }},
    };
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        all.push_back({"random", [seed](int rank, const Place&) {
                           const auto color = static_cast<int>(hashed(seed, rank) % 3);
                           const bool has_none = color == 2 && seed % 2 == 0;
                           return ask(has_none ? std::nullopt : std::optional(color),
                                      static_cast<int>(hashed(seed + 99, rank) % 2));
                       }});
    }
    return all;
}

/// The expected result of a split.
struct Expected {
    std::vector<int> mates;
    bool is_possible = true;
    const char* text = "";
};

/// The mates that chose the color, in the order of the part.
std::vector<int> mates_of(int color, const Division& division, const std::vector<Place>& places) {
    std::vector<std::pair<int, int>> order;
    for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
        const Asked asked = division.asks(rank, places[static_cast<std::size_t>(rank)]);
        if (asked.first == color) {
            order.emplace_back(asked.second, rank);
        }
    }
    std::ranges::sort(order);
    std::vector<int> mates;
    for (const auto& [key, rank] : order) {
        mates.push_back(rank);
    }
    return mates;
}

/// Why that part cannot be; empty if it can.
const char* reason(const std::vector<int>& mates, const std::vector<Place>& places) {
    std::vector<int> processes;
    std::set<int> led;
    for (const int rank : mates) {
        const Place& at = places[static_cast<std::size_t>(rank)];
        if (processes.empty() || processes.back() != at.process) {
            processes.push_back(at.process);
        }
        if (at.local == 0) {
            led.insert(at.process);
        }
    }
    const std::set<int> different(processes.begin(), processes.end());
    if (different.size() != processes.size()) {
        return "the members of each process are consecutive";
    }
    const bool needs_leaders = different.size() > 1 && thread_level() != MPI_THREAD_MULTIPLE;
    return needs_leaders && led.size() != different.size() ? "MPI_THREAD_MULTIPLE" : "";
}

Expected expected_for(int rank, const Division& division, const std::vector<Place>& places) {
    Expected expected;
    std::set<int> colors;
    for (int other = 0; other < static_cast<int>(places.size()); ++other) {
        if (const auto color = division.asks(other, places[static_cast<std::size_t>(other)]).first) {
            colors.insert(*color);
        }
    }
    for (const int color : colors) {
        const char* const text = reason(mates_of(color, division, places), places);
        if (*text != 0) {
            expected = {{}, false, text};
            break;
        }
    }
    if (const auto own = division.asks(rank, places[static_cast<std::size_t>(rank)]).first;
        own && expected.is_possible) {
        expected.mates = mates_of(*own, division, places);
    }
    return expected;
}

void examine_division(mpi::Member& me, const Division& division) {
    INFO(division.name);
    const std::vector<Place> places = places_of(me);
    const Asked asked = division.asks(me.rank(), places[static_cast<std::size_t>(me.rank())]);
    const Expected expected = expected_for(me.rank(), division, places);
    if (!expected.is_possible) {
        CHECK_THROWS_WITH_AS(static_cast<void>(me.split(asked.first, asked.second)),
                             doctest::Contains(expected.text), ArgumentError);
    } else {
        std::optional<mpi::Member> mine = me.split(asked.first, asked.second);
        REQUIRE(mine.has_value() == asked.first.has_value());
        if (mine) {
            std::vector<int> mates(expected.mates.size());
            REQUIRE(mine->size() == static_cast<int>(mates.size()));
            const int rank = me.rank();
            mine->allgather(std::span(&rank, 1), mates);
            CHECK(mates == expected.mates);
            CHECK(mates[static_cast<std::size_t>(mine->rank())] == me.rank());
            examine_part(*mine);
        }
    }
    CHECK(me.allreduce(1, tutti::sum) == me.size());
}

} // namespace

TEST_CASE("all collectives of parts, up to 4 processes of up to 3 members") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            const int uneven = 1 + (process_of_world() + 1) % most_members(3);
            for (const int members : processes <= 2 ? std::vector{1, 2, 3, uneven} : std::vector{2, uneven}) {
                CAPTURE(processes);
                CAPTURE(members);
                on_members(part, most_members(members), [](mpi::Member& me) {
                    for (const Division& division : divisions()) {
                        examine_division(me, division);
                    }
                });
            }
        });
    }
}

TEST_CASE("the members of a list, and all of them again") {
    on_members_of(3, [](mpi::Member& me) {
        // The last process and the first one, in this order.
        std::vector<int> list;
        for (int local = 0; local < members_here(); ++local) {
            list.push_back(me.size() - members_here() + local);
        }
        for (int local = 0; local < members_here(); ++local) {
            list.push_back(local);
        }
        const std::optional<int> place =
            process_of_world() == 1
                ? std::nullopt
                : std::optional(me.local().rank() + (process_of_world() == 0 ? members_here() : 0));
        std::optional<mpi::Member> some = me.subset(list);
        REQUIRE(some.has_value() == place.has_value());
        if (some) {
            CHECK(some->rank() == *place);
            examine_part(*some, 70001);
        }
        mpi::Member copy = me.dup();
        CHECK(copy.rank() == me.rank());
        CHECK(copy.size() == me.size());
        examine_part(copy);
        const std::vector<int> reversed{1, 0};
        CHECK_THROWS_WITH_AS(static_cast<void>(me.subset(std::vector{0, me.size()})),
                             doctest::Contains("subset: `ranks` has"), ArgumentError);
        CHECK_THROWS_WITH_AS(static_cast<void>(me.split(-2, 0)), doctest::Contains("split: `color` is -2"),
                             ArgumentError);
        std::optional<mpi::Member> nobody = me.subset({});
        CHECK(!nobody);
    });
}

} // namespace tutti::test
