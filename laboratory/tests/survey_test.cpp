// The measurements on the machine of the test (not their values), which CPUs they compare, and what differs
// from hwloc.
#include "bench/tests/command.hpp"
#include "survey/distances.hpp"
#include "survey/times.hpp"

using namespace tutti;
using namespace tutti::laboratory;
using distance::Class;
using distance::Matrix;
using test::occurrences;

namespace {

std::set<Class> classes_among(const std::vector<machine::Pu>& pus) {
    std::set<Class> classes;
    for (std::size_t one = 0; one < pus.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            classes.insert(laboratory::class_of(pus[one], pus[other]));
        }
    }
    return classes;
}

/// Lines take as long as the machine's classes say, one time for each.
Matrix times_of(const machine::Machine& machine, const std::array<double, distance::class_count>& ns) {
    Matrix matrix(machine.pus.size());
    for (std::size_t one = 0; one < machine.pus.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            const Class each = laboratory::class_of(machine.pus[one], machine.pus[other]);
            matrix.set(one, other, ns[static_cast<std::size_t>(each)]);
        }
    }
    return matrix;
}

constexpr std::array<double, distance::class_count> usual_ns{8, 25, 100, 130, 250};

} // namespace

TEST_CASE("groups that hwloc states are those of its classes") {
    const machine::Machine machine = machine::from_synthetic("pack:2 numa:2 l3:2 core:2 pu:2");
    const auto groups = [&](Class distance) {
        return distance::count(laboratory::groups_within(machine.pus, distance));
    };
    CHECK(groups(Class::core) == 16);
    CHECK(groups(Class::l3) == 8);
    CHECK(groups(Class::node) == 4);
    CHECK(groups(Class::socket) == 2);
    CHECK(groups(Class::link) == 1);
}

TEST_CASE("what a machine does not say is shared by none, but for the socket") {
    const machine::Pu one{.os_index = 0};
    const machine::Pu other{.os_index = 1};
    CHECK(laboratory::class_of(one, other) == Class::socket);
    const machine::Machine flat = machine::from_synthetic("core:4 pu:1");
    CHECK(laboratory::class_of(flat.pus[0], flat.pus[3]) == Class::node);
}

TEST_CASE("of many CPUs some are compared, among which are all distances") {
    for (const char* description : {"pack:2 numa:4 l3:4 core:4 pu:2", "pack:2 [numa] l3:1 core:96 pu:1",
                                    "pack:1 [numa] l3:12 core:8 pu:2", "pack:8 numa:2 l3:2 core:8 pu:2",
                                    "pack:1 [numa] core:100 pu:1", "pack:3 [numa] l3:5 core:7 pu:2"}) {
        CAPTURE(description);
        const machine::Machine machine = machine::from_synthetic(description);
        const std::vector<machine::Pu> chosen = cpus_to_compare(machine, 64);
        CHECK(chosen.size() <= 64);
        CHECK(chosen.size() >= 40);
        CHECK(classes_among(chosen) == classes_among(machine.pus));
        std::set<int> numbers;
        int before = -1;
        for (const machine::Pu& pu : chosen) {
            CHECK(numbers.insert(pu.os_index).second);
            CHECK(pu.os_index > before);
            before = pu.os_index;
        }
    }
}

TEST_CASE("few CPUs are all compared, or as many as may be, or one of each core") {
    const machine::Machine machine = machine::from_synthetic("pack:2 [numa] l3:2 core:2 pu:2");
    CHECK(cpus_to_compare(machine, 16) == machine.pus);
    CHECK(cpus_to_compare(machine, 1).size() == 1);
    CHECK(cpus_to_compare(machine, 3).size() <= 3);
    const std::vector<machine::Pu> one = one_of_each_core(machine.pus);
    REQUIRE(one.size() == 8);
    CHECK(one[3].os_index == 6);
}

TEST_CASE(
    "where hwloc is right, nothing differs; what it does not know or what is not in the times is named") {
    const auto differ = [](const char* real, const char* stated) {
        const machine::Machine machine = machine::from_synthetic(stated);
        const Matrix matrix = times_of(machine::from_synthetic(real), usual_ns);
        return differences(machine.pus, matrix, find_levels(matrix));
    };
    using Texts = std::vector<std::string>;
    for (const char* description : {"pack:2 numa:2 l3:2 core:4 pu:2", "pack:2 [numa] l3:1 core:8 pu:2",
                                    "pack:1 [numa] l3:1 core:8 pu:1"}) {
        CHECK(differ(description, description).empty());
    }
    // A virtual machine hides caches, and takes threads of cores for cores.
    CHECK(differ("pack:1 [numa] l3:4 core:4 pu:1", "pack:1 [numa] l3:1 core:16 pu:1") ==
          Texts{"hwloc knows nothing of 4 groups (0-3; 4-7; 8-11; 12-15): a line takes 25 ns inside of them, "
                "100 ns between them"});
    CHECK(
        differ("pack:1 [numa] l3:1 core:6 pu:2", "pack:1 [numa] l3:1 core:12 pu:1") ==
        Texts{"hwloc knows nothing of 6 groups (0-1; 2-3; 4-5; 6-7; ...): a line takes 8 ns inside of them, "
              "25 ns between them"});
    CHECK(
        differ("pack:1 [numa] l3:1 core:8 pu:1", "pack:2 [numa] l3:1 core:4 pu:1") ==
        Texts{"hwloc's 2 L3 caches (0-3; 4-7) do not show as such: a line takes 25 ns inside of them, 25 ns "
              "between them"});
}

TEST_CASE("a survey has all numbers of a profile, each with a source") {
    const machine::Machine machine = machine::here();
    if (machine.pus.size() < 2) {
        return;
    }
    const Survey found = survey(machine, 0.1, false);
    CHECK(found.pus.size() == std::min<std::size_t>(machine.pus.size(), 64));
    CHECK(!found.profile.name.empty());
    distance::MachineModel profile = found.profile;
    for (const distance::NamedNumber& named : numbers_of(profile)) {
        CAPTURE(named.name);
        CHECK(std::isfinite(named.number->value));
        CHECK((named.number->value > 0 || named.name.ends_with("readers.each")));
        CHECK(named.number->value <
              1e9); // a second, in ns: how long it takes depends on the machine's other work
        const distance::Source& source = profile.sources[named.number->source];
        const bool is_estimated = source.origin == distance::Origin::estimated;
        CHECK((!is_estimated || source.name == "no-time" || named.name.ends_with("readers.each")));
    }
    for (std::size_t one = 0; one < found.pus.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            CHECK(found.one_way_ns.ns(one, other) > 0);
        }
    }
}

TEST_CASE("threads that cannot be pinned measure nothing") {
    std::atomic<int> ran{0};
    CHECK_THROWS_AS(on_cpus(std::array{machine::here().pus[0].os_index, 99999},
                            [&](std::size_t, bench::Gate&) { ++ran; }),
                    std::runtime_error);
    CHECK(ran == 0);
}

TEST_CASE("what comes out as no time is measured again, and then is no measurement") {
    int calls = 0;
    CHECK(measured_above(0.001, [&] { return ++calls == 3 ? 0.5 : -0.1; }) == 0.5);
    CHECK(calls == 3);
    calls = 0;
    CHECK(!measured_above(0.001, [&] {
        ++calls;
        return 0.001;
    }));
    CHECK(calls == 3);
}
