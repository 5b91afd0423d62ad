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
std::vector<Place> places_of(ClusterMember& me) {
    std::vector<Place> places(static_cast<std::size_t>(me.size()));
    const Place mine{process_of_world(), me.local().rank()};
    me.allgather(std::span(&mine, 1), places);
    return places;
}

/// The arguments of a split: a color and a key.
using Asked = std::pair<std::optional<int>, int>;

struct Division {
    const char* name;
    std::function<Asked(int rank, const Place& place)> asks;
};

std::vector<Division> divisions() {
    std::vector<Division> all{
        {"by process", [](int, const Place& at) { return Asked(at.process, 0); }},
        {"by process, the last first",
         [](int rank, const Place& at) { return Asked(7 - at.process, -rank); }},
        {"by pairs of processes", [](int rank, const Place& at) { return Asked(at.process / 2, rank); }},
        {"the last first", [](int rank, const Place&) { return Asked(1000000, -rank); }},
        {"by parity", [](int rank, const Place&) { return Asked(rank % 2, 0); }},
        {"by place in the process", [](int, const Place& at) { return Asked(at.local, 5); }},
        {"one of each process",
         [](int, const Place& at) { return Asked(at.local == 0 ? std::optional(3) : std::nullopt, 0); }},
        {"one process alone, the others together",
         [](int rank, const Place& at) { return Asked(at.process == 0 ? at.local : 1 + 64, rank); }},
        {"none", [](int, const Place&) { return Asked(std::nullopt, 0); }},
        {"the members of processes in turn", [](int, const Place& at) { return Asked(0, at.local); }},
    };
    for (const std::size_t seed : {1U, 2U, 3U, 4U}) {
        all.push_back({"random", [seed](int rank, const Place&) {
                           const std::uint64_t drawn = mixed(static_cast<std::size_t>(rank), seed);
                           const bool has_none = drawn % 3 == 2 && seed % 2 == 0;
                           return Asked(has_none ? std::nullopt : std::optional(static_cast<int>(drawn % 3)),
                                        static_cast<int>(drawn >> 8U) % 2);
                       }});
    }
    return all;
}

/// The ranks of each part, by color, in their order.
std::map<int, std::vector<int>> parts_of(const Division& division, const std::vector<Place>& places) {
    std::map<int, std::vector<int>> parts;
    const auto asked = [&](int rank) { return division.asks(rank, places[static_cast<std::size_t>(rank)]); };
    for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
        if (const auto color = asked(rank).first) {
            parts[*color].push_back(rank);
        }
    }
    for (auto& [color, ranks] : parts) {
        std::ranges::stable_sort(ranks, {}, [&](int rank) { return asked(rank).second; });
    }
    return parts;
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

void examine_part(ClusterMember& me, std::size_t most) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{5}, most}) {
        examine(me, count, Manner::blocking);
    }
    examine(*alone(me, Manner::blocking), only(cluster_shapes(me.size(), 7), combines), map, composed,
            serial);
    examine(me, most);
    examine(me, 5, Manner::persistent);
    CHECK(me.local().allreduce(1, tutti::sum) == me.local().size());
}

void examine_division(ClusterMember& me, const Division& division) {
    INFO(division.name);
    const std::vector<Place> places = places_of(me);
    const Asked asked = division.asks(me.rank(), places[static_cast<std::size_t>(me.rank())]);
    const auto parts = parts_of(division, places);
    std::string text;
    for (const auto& [color, ranks] : parts) {
        text = text.empty() ? reason(ranks, places) : text;
    }
    if (!text.empty()) {
        CHECK_THROWS_WITH_AS(static_cast<void>(me.split(asked.first, asked.second)),
                             doctest::Contains(text.c_str()), CombinationError);
    } else {
        std::optional<ClusterMember> mine = me.split(asked.first, asked.second);
        REQUIRE(mine.has_value() == asked.first.has_value());
        if (mine) {
            const std::vector<int>& expected = parts.at(*asked.first);
            std::vector<int> mates(expected.size());
            REQUIRE(mine->size() == static_cast<int>(mates.size()));
            const int rank = me.rank();
            mine->allgather(std::span(&rank, 1), mates);
            CHECK(mates == expected);
            CHECK(mates[static_cast<std::size_t>(mine->rank())] == me.rank());
            examine_part(*mine, 300);
        }
    }
    CHECK(me.allreduce(1, tutti::sum) == me.size());
}

} // namespace

TEST_CASE("all collectives of parts, up to 4 processes of up to 3 members") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            const int uneven = uneven_members();
            for (const int members : processes <= 2 ? std::vector{1, 2, 3, uneven} : std::vector{2, uneven}) {
                on_members(part, most_members(members), [](ClusterMember& me) {
                    for (const Division& division : divisions()) {
                        examine_division(me, division);
                    }
                });
            }
        });
    }
}

TEST_CASE("the members of a list, and all of them again") {
    on_members_of(3, [](ClusterMember& me) {
        // The last process and the first one, in this order.
        std::vector<int> list(2 * static_cast<std::size_t>(members_here()));
        std::iota(list.begin() + members_here(), list.end(), 0);
        std::iota(list.begin(), list.begin() + members_here(), me.size() - members_here());
        const auto place = std::ranges::find(list, me.rank());
        std::optional<ClusterMember> some = me.subset(list);
        REQUIRE(some.has_value() == (place != list.end()));
        if (some) {
            CHECK(some->rank() == place - list.begin());
            examine_part(*some, 20001);
        }
        ClusterMember copy = me.dup();
        CHECK(copy.rank() == me.rank());
        CHECK(copy.size() == me.size());
        examine_part(copy, 300);
        CHECK_THROWS_WITH_AS(static_cast<void>(me.subset(std::vector{0, me.size()})),
                             doctest::Contains("subset: `ranks` has"), ArgumentError);
        CHECK_THROWS_WITH_AS(static_cast<void>(me.split(-2, 0)), doctest::Contains("split: `color` is -2"),
                             ArgumentError);
        std::optional<ClusterMember> nobody = me.subset({});
        CHECK(!nobody);
    });
}

} // namespace tutti::test
