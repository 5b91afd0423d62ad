// How far CPUs are from each other, as hwloc says, and which of them are compared.
#include "../../test.hpp"
#include "machine/machine.hpp"
#include "survey/distances.hpp"
#include "survey/machine_classes.hpp"

using namespace tutti;
using namespace tutti::laboratory;
using distance::Class;

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

TEST_CASE("few CPUs are all compared, or as many as may be") {
    const machine::Machine machine = machine::from_synthetic("pack:2 [numa] l3:2 core:2 pu:2");
    CHECK(cpus_to_compare(machine, 16) == machine.pus);
    CHECK(cpus_to_compare(machine, 1).size() == 1);
    CHECK(cpus_to_compare(machine, 3).size() <= 3);
}

TEST_CASE("one CPU of each core") {
    const machine::Machine machine = machine::from_synthetic("pack:1 [numa] l3:1 core:3 pu:2");
    std::vector<int> numbers;
    for (const machine::Pu& pu : one_of_each_core(machine.pus)) {
        numbers.push_back(pu.os_index);
    }
    CHECK(numbers == std::vector{0, 2, 4});
}
