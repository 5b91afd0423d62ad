// The parts of the described machines.
#include "../test.hpp"
#include "fixtures.hpp"
#include "machine/cpu_list.hpp"

using namespace tutti::machine;
using namespace tutti::machine::test;
using Indices = std::vector<int>;

TEST_CASE("two sockets with SMT: counts, order and siblings") {
    const Machine machine = two_sockets_smt();
    CHECK(machine.pus_in_machine == 16);
    CHECK(machine.packages() == 2);
    CHECK(machine.numa_nodes() == 2);
    CHECK(machine.l3_groups() == 2);
    CHECK(machine.l2_groups() == 8);
    CHECK(machine.cores() == 8);
    CHECK(machine.l2_bytes == 1024 * 1024);
    CHECK(machine.l3_bytes == 32 * 1024 * 1024);
    CHECK(machine.model == "Example 4-core CPU");
    CHECK(machine.notes.empty());
    CHECK(machine.os_indices() == Indices{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15});
    CHECK(machine.pus[0] ==
          Pu{.os_index = 0, .core = 0, .smt = 0, .l2 = 0, .l3 = 0, .numa = 0, .package = 0});
    CHECK(machine.pus[13] ==
          Pu{.os_index = 14, .core = 6, .smt = 1, .l2 = 6, .l3 = 1, .numa = 1, .package = 1});
}

TEST_CASE("several L3 groups per socket") {
    const Machine machine = several_l3();
    CHECK(machine.pus_in_machine == 12);
    CHECK(machine.packages() == 2);
    CHECK(machine.numa_nodes() == 2);
    CHECK(machine.l3_groups() == 6);
    CHECK(machine.l2_groups() == 12);
    CHECK(machine.cores() == 12);
    CHECK(machine.l2_bytes == 512 * 1024);
    CHECK(machine.l3_bytes == 16 * 1024 * 1024);
    CHECK(machine.pus[7] ==
          Pu{.os_index = 7, .core = 7, .smt = 0, .l2 = 7, .l3 = 3, .numa = 1, .package = 1});
}

TEST_CASE("one CPU that tells of no caches") {
    const Machine machine = one_cpu();
    CHECK(machine.pus_in_machine == 1);
    CHECK(machine.pus ==
          std::vector{Pu{.os_index = 0, .core = 0, .smt = 0, .l2 = -1, .l3 = -1, .numa = 0, .package = 0}});
    CHECK(machine.packages() == 1);
    CHECK(machine.cores() == 1);
    CHECK(machine.l2_groups() == 0);
    CHECK(machine.l3_groups() == 0);
    CHECK(machine.l3_bytes == 0);
}

TEST_CASE("a restricted cpuset keeps the whole machine's indices") {
    const Machine machine = restricted_cpuset();
    CHECK(machine.pus_in_machine == 8);
    CHECK(machine.os_indices() == Indices{5, 2, 6, 3});
    CHECK(machine.cores() == 3);
    CHECK(machine.l3_groups() == 2);
    CHECK(machine.pus[0] ==
          Pu{.os_index = 5, .core = 1, .smt = 1, .l2 = 1, .l3 = 0, .numa = 0, .package = 0});
    CHECK(machine.notes == std::vector<std::string>{"4 of 8 CPUs allowed (cpuset)"});
}

TEST_CASE("two NUMA nodes in one package are told apart") {
    const Machine machine = from_synthetic("pack:1 numa:2 core:2 pu:1");
    CHECK(machine.packages() == 1);
    CHECK(machine.numa_nodes() == 2);
    CHECK(machine.pus[1].numa == 0);
    CHECK(machine.pus[2].numa == 1);
}

TEST_CASE("of two kinds of memory at one package the first counts") {
    const Machine machine = from_synthetic("pack:2 [numa] [numa] core:1 pu:1");
    CHECK(machine.pus[0].numa == 0);
    CHECK(machine.pus[1].numa == 2);
    CHECK(machine.numa_nodes() == 2);
}

TEST_CASE("restrict keeps logical order, ignores what is not there, says what it did") {
    const Machine machine = restrict(two_sockets_smt(), std::array{12, 99, 1, 0}, "process binding");
    CHECK(machine.os_indices() == Indices{0, 1, 12});
    CHECK(machine.pus_in_machine == 16);
    CHECK(machine.packages() == 2);
    CHECK(machine.cores() == 3);
    CHECK(machine.notes == std::vector<std::string>{"3 of 16 CPUs allowed (process binding)"});

    CHECK(restrict(one_cpu(), std::array{0}).notes.empty());

    const std::string error = message_of<std::invalid_argument>([] {
        restrict(restricted_cpuset(), std::array{0, 1});
    });
    CHECK_MESSAGE(mentions(error, "os_indices (0-1)"), error);
    CHECK_MESSAGE(mentions(error, "5,2,6,3"), error);
}

TEST_CASE("descriptions that cannot be read name themselves and what would work") {
    const std::string missing =
        message_of<std::invalid_argument>([] { from_xml(fixture_path("no-such-machine.xml")); });
    CHECK_MESSAGE(mentions(missing, "no-such-machine.xml"), missing);
    CHECK_MESSAGE(mentions(missing, "lstopo"), missing);

    const std::string no_xml =
        message_of<std::invalid_argument>([] { from_xml(fixture_path("one-cpu.synthetic")); });
    CHECK_MESSAGE(mentions(no_xml, "one-cpu.synthetic"), no_xml);

    const std::string nonsense = message_of<std::invalid_argument>([] { from_synthetic("two sockets"); });
    CHECK_MESSAGE(mentions(nonsense, "'two sockets'"), nonsense);
    CHECK_MESSAGE(mentions(nonsense, "pack:2"), nonsense);
}

TEST_CASE("describe prints aligned lines and leaves out what is unknown") {
    CHECK(describe(two_sockets_smt()) ==
          "CPU model   Example 4-core CPU\n"
          "CPUs        16 of 16 allowed: 0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15\n"
          "cores       8\n"
          "L2          8 x 1 MiB, 2 CPUs each\n"
          "L3          2 x 32 MiB, 8 CPUs each\n"
          "NUMA nodes  2\n"
          "packages    2\n");
    CHECK(describe(restricted_cpuset()) == "CPUs        4 of 8 allowed: 5,2,6,3\n"
                                           "cores       3\n"
                                           "L2          3 x 512 KiB\n"
                                           "L3          2 x 16 MiB\n"
                                           "NUMA nodes  1\n"
                                           "packages    1\n"
                                           "note        4 of 8 CPUs allowed (cpuset)\n");
    CHECK(describe(one_cpu()) == "CPUs        1 of 1 allowed: 0\n"
                                 "cores       1\n"
                                 "NUMA nodes  1\n"
                                 "packages    1\n");
}

TEST_CASE("CPU lists read back as written") {
    CHECK(format_cpu_list(Indices{}) == "none");
    CHECK(format_cpu_list(Indices{3}) == "3");
    CHECK(format_cpu_list(Indices{0, 2, 4, 5, 6, 7}) == "0,2,4-7");
    CHECK(format_cpu_list(Indices{5, 4, 4, 5}) == "5,4,4-5");
    CHECK(parse_cpu_list("0,2,4-7") == Indices{0, 2, 4, 5, 6, 7});
    CHECK(parse_cpu_list("5,4,4-5") == Indices{5, 4, 4, 5});
    CHECK(parse_cpu_list("65535") == Indices{65535});
}

TEST_CASE("this machine in synthetic notation has the CPUs that it has") {
    const std::string description = synthetic_here();
    if (!description.empty()) {
        CHECK(from_synthetic(description).pus_in_machine == detect().pus_in_machine);
    }
}
