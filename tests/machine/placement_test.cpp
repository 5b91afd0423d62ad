// Which member goes where, against lists derived by hand from the drawings in topology/fixtures/README.md.
#include "fixtures.hpp"
#include "machine/placement.hpp"

using namespace tutti::machine;
using namespace tutti::machine::test;

TEST_CASE("compact fills cores first, neighbours side by side") {
    const Machine machine = two_sockets_smt();
    CHECK(place(machine, 1, Placement::compact) == Indices{0});
    CHECK(place(machine, 3, Placement::compact) == Indices{0, 1, 2});
    CHECK(place(machine, 10, Placement::compact) == Indices{0, 8, 1, 9, 2, 3, 4, 5, 6, 7});
    CHECK(place(machine, 16, Placement::compact) ==
          Indices{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15});
    CHECK(place(several_l3(), 5, Placement::compact) == Indices{0, 1, 2, 3, 4});
}

TEST_CASE("scatter deals over packages, L3 groups, cores, then hardware threads") {
    const Machine machine = two_sockets_smt();
    CHECK(place(machine, 5, Placement::scatter) == Indices{0, 4, 1, 5, 2});
    CHECK(place(machine, 16, Placement::scatter) ==
          Indices{0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15});
    CHECK(place(several_l3(), 12, Placement::scatter) == Indices{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11});
    CHECK(place(from_synthetic("pack:1 numa:2 core:2 pu:1"), 4, Placement::scatter) == Indices{0, 2, 1, 3});
    CHECK(place(from_synthetic("pack:1 l3:1 l2:2 core:2 pu:1"), 4, Placement::scatter) ==
          Indices{0, 2, 1, 3});
}

TEST_CASE("a restricted cpuset: second hardware threads only when every allowed core has a member") {
    const Machine machine = restricted_cpuset();
    CHECK(place(machine, 3, Placement::compact) == Indices{5, 2, 3});
    CHECK(place(machine, 4, Placement::compact) == Indices{5, 2, 6, 3});
    CHECK(place(machine, 3, Placement::scatter) == Indices{5, 2, 3});
    CHECK(place(machine, 4, Placement::scatter) == Indices{5, 2, 3, 6});
}

TEST_CASE("scatter goes on with the larger groups when the smaller are full") {
    const Machine machine = restrict(several_l3(), Indices{0, 6, 7, 8, 9, 10});
    CHECK(place(machine, 6, Placement::scatter) == Indices{0, 6, 8, 10, 7, 9});
}

TEST_CASE("more members than CPUs go round") {
    CHECK(place(restricted_cpuset(), 6, Placement::compact) == Indices{5, 2, 6, 3, 5, 2});
    CHECK(place(restricted_cpuset(), 9, Placement::scatter) == Indices{5, 2, 3, 6, 5, 2, 3, 6, 5});
}

TEST_CASE("every rule, machine and number of members: allowed, even, cores before hardware threads") {
    for (const Machine& machine : {two_sockets_smt(), several_l3(), one_cpu(), restricted_cpuset()}) {
        std::map<int, int> core_of;
        for (const Pu& pu : machine.pus) {
            core_of[pu.os_index] = pu.core;
        }
        const int pus = static_cast<int>(machine.pus.size());
        for (const Placement rule : {Placement::compact, Placement::scatter}) {
            for (int members = 1; members <= 3 * pus + 1; ++members) {
                const Indices placed = place(machine, members, rule);
                CHECK(static_cast<int>(placed.size()) == members);
                std::map<int, int> load;
                std::set<int> cores;
                for (const int os_index : placed) {
                    ++load[os_index];
                    cores.insert(core_of.at(os_index)); // throws if the CPU is not allowed
                }
                CHECK(static_cast<int>(load.size()) == std::min(members, pus));
                const auto [least, most] =
                    std::ranges::minmax_element(load, {}, &std::map<int, int>::value_type::second);
                CHECK(most->second - least->second <= 1);
                CHECK(static_cast<int>(cores.size()) == std::min(members, machine.cores()));
            }
        }
    }
}

TEST_CASE("CPUs of unknown core are cores of their own, unknown caches are no groups") {
    Machine machine;
    machine.pus = {
        {.os_index = 4, .package = 0}, {.os_index = 6, .package = 0}, {.os_index = 7, .package = 1}};
    machine.pus_in_machine = 8;
    CHECK(machine.cores() == 3);
    CHECK(place(machine, 2, Placement::compact) == Indices{4, 6});
    CHECK(place(machine, 4, Placement::scatter) == Indices{4, 7, 6, 4});
}

TEST_CASE("an explicit list is taken as written, and goes round") {
    const Machine machine = two_sockets_smt();
    CHECK(place(machine, 3, parse_placement("7,0-3")) == Indices{7, 0, 1});
    CHECK(place(machine, 5, parse_placement("3,1")) == Indices{3, 1, 3, 1, 3});
    CHECK(place(machine, 2, parse_placement("5,5")) == Indices{5, 5});
    CHECK(place(machine, 2, parse_placement("none")) == Indices{unpinned, unpinned});
}

TEST_CASE("an explicit list with a CPU that is not allowed names it and those that are") {
    const Machine machine = restricted_cpuset();
    for (const char* list : {"2,4,5", "4", "2-4"}) {
        check_refused([&] { place(machine, 1, parse_placement(list)); }, {"CPU 4 ", "allowed are 5,2,6,3"});
    }
}

TEST_CASE("a placement that is no placement names the offending entry") {
    for (const auto& [given, entry] :
         std::map<std::string, std::string>{{"", "''"},
                                            {"spread", "'spread'"},
                                            {"0,,2", "''"},
                                            {"0,2,", "''"},
                                            {"0,x,2", "'x'"},
                                            {"0,-3", "'-3'"},
                                            {"1,4-", "'4-'"},
                                            {"7-4", "'7-4'"},
                                            {"0-3-5", "'0-3-5'"},
                                            {"0, 2", "' 2'"},
                                            {"65536", "'65536'"},
                                            {"0-99999999999", "'0-99999999999'"}}) {
        const std::string& text = given; // clang 14 captures no structured binding
        const std::string whole = "'" + text + "'";
        check_refused([&] { parse_placement(text); },
                      {entry == whole ? whole + " is" : entry + " in " + whole + " is", "0,2,4-7",
                       "compact, scatter, none, or kinds of cores: performance, medium, efficient"});
    }
}

TEST_CASE("placements read back as written") {
    for (const char* text : {"compact", "scatter", "none", "efficient", "performance,medium", "0,2,4-7"}) {
        CHECK(to_string(parse_placement(text)) == text);
    }
}

TEST_CASE("members below 1 and a machine without CPUs are refused") {
    for (const char* text : {"compact", "scatter", "none", "0"}) {
        check_refused([&] { place(one_cpu(), 0, parse_placement(text)); }, {"members is 0"});
    }
    check_refused([] { place_beside(two_sockets_smt(), -1, parse_placement("compact"), Indices{0}); },
                  {"members is -1"});
    CHECK_THROWS_AS(place(Machine{}, 1, Placement::compact), std::invalid_argument);
}

TEST_CASE("parts: where members are, outermost first, as far as the machine tells") {
    using Parts = std::vector<Indices>;
    const auto parts = [](const char* description, int members, Placement rule) {
        const Machine machine = from_synthetic(description);
        return parts_of(machine, place(machine, members, rule));
    };
    CHECK(parts("pack:2 [numa] l3:2 core:2 pu:1", 8, Placement::compact) == Parts{{0, 0, 0, 0, 1, 1, 1, 1},
                                                                                  {0, 0, 0, 0, 1, 1, 1, 1},
                                                                                  {0, 0, 1, 1, 2, 2, 3, 3},
                                                                                  {0, 1, 2, 3, 4, 5, 6, 7}});
    CHECK(parts("pack:2 [numa] l3:1 core:2 pu:2", 4, Placement::scatter) ==
          Parts{{0, 1, 0, 1}, {0, 1, 0, 1}, {0, 1, 0, 1}, {0, 2, 1, 3}});
    CHECK(parts("pack:1 [numa] core:2 pu:1", 3, Placement::compact) ==
          Parts{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}});
    CHECK(parts("pack:2 [numa] core:2 pu:1", 2, Placement::none).empty());
}

TEST_CASE("members are placed beside those that hold CPUs, while there are others") {
    const Machine machine = two_sockets_smt();
    const PlacementRequest compact = parse_placement("compact");
    CHECK(place_beside(machine, 3, compact, Indices{}) == Indices{0, 1, 2});
    CHECK(place_beside(machine, 3, compact, Indices{unpinned}) == Indices{0, 1, 2});
    // First cores of which nothing is held: 8 is on the core of 0, and so on.
    CHECK(place_beside(machine, 2, compact, Indices{0, 1}) == Indices{2, 3});
    CHECK(place_beside(machine, 2, compact, Indices{8}) == Indices{1, 2});
    CHECK(place_beside(machine, 2, parse_placement("scatter"), Indices{0, 4}) == Indices{1, 5});
    CHECK(place_beside(machine, 12, compact, Indices{0, 1}) ==
          Indices{2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15});
    // Then their other hardware threads.
    CHECK(place_beside(machine, 8, compact, Indices{0, 1, 2, 3, 4, 5, 6, 7}) ==
          Indices{8, 9, 10, 11, 12, 13, 14, 15});
    // There are not enough: one of the others as well.
    CHECK(place_beside(machine, 9, compact, Indices{0, 1, 2, 3, 4, 5, 6, 7}) ==
          Indices{0, 8, 9, 10, 11, 12, 13, 14, 15});
    CHECK(place_beside(one_cpu(), 1, compact, Indices{0}) == Indices{0});
    CHECK(place_beside(machine, 2, parse_placement("0,8"), Indices{0, 8}) == Indices{0, 8}); // as it is
    // CPUs of a machine without structure.
    Machine flat;
    flat.pus = {{.os_index = 3}, {.os_index = 5}, {.os_index = 7}};
    CHECK(place_beside(flat, 2, compact, Indices{3}) == Indices{5, 7});
}

TEST_CASE("members beside more holders than CPUs take the CPUs that are held least often") {
    const auto teams = [](const Machine& machine, const char* rule, const Indices& sizes) {
        std::vector<Indices> placed;
        Indices held;
        for (const int size : sizes) {
            placed.push_back(place_beside(machine, size, parse_placement(rule), held));
            held.insert(held.end(), placed.back().begin(), placed.back().end());
        }
        return placed;
    };
    using Teams = std::vector<Indices>;
    const Machine two = from_synthetic("pack:1 [numa] core:2 pu:1");
    for (const char* rule : {"compact", "scatter"}) {
        CHECK(teams(two, rule, {1, 1, 1, 1, 1}) == Teams{{0}, {1}, {0}, {1}, {0}});
        CHECK(teams(two, rule, {2, 1, 1}) == Teams{{0, 1}, {0}, {1}});
        CHECK(teams(two, rule, {1, 2, 1}) == Teams{{0}, {0, 1}, {1}});
        // A team's own members are dealt evenly, whatever is held.
        CHECK(teams(two, rule, {3, 3, 4}) == Teams{{0, 1, 0}, {0, 1, 1}, {0, 1, 0, 1}});
        CHECK(place_beside(two, 2, parse_placement(rule), Indices{0, 0, 0}) == Indices{0, 1});
    }
    CHECK(teams(two, "none", {1, 1}) == Teams{{unpinned}, {unpinned}});
    // The free CPUs first, and then shared ones, on cores whose two CPUs are used equally.
    const Machine machine = two_sockets_smt();
    CHECK(teams(machine, "compact", {14, 4, 2}) ==
          Teams{place(machine, 14, Placement::compact), {0, 1, 14, 15}, {2, 3}});
    CHECK(teams(machine, "scatter", {8, 8, 1, 1, 1}) ==
          Teams{{0, 4, 1, 5, 2, 6, 3, 7}, {8, 12, 9, 13, 10, 14, 11, 15}, {0}, {1}, {2}});
}
