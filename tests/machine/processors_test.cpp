// Machines and their thresholds, and how many CPUs members have: by the limits of control groups, and by
// where they may run.

#include "fixtures.hpp"
#include "machine/files.hpp"
#include "machine/pinning.hpp"
#include "machine/process.hpp"
#include "machine/thresholds.hpp"

using namespace tutti::machine;
using namespace tutti::machine::test;

namespace {

TEST_CASE("the places of CPUs: siblings, a restricted cpuset, no caches") {
    CHECK(two_sockets_smt().pus[13] ==
          Pu{.os_index = 14, .core = 6, .smt = 1, .l2 = 6, .l3 = 1, .numa = 1, .package = 1});
    CHECK(several_l3().pus[7] ==
          Pu{.os_index = 7, .core = 7, .smt = 0, .l2 = 7, .l3 = 3, .numa = 1, .package = 1});
    CHECK(restricted_cpuset().pus[0] ==
          Pu{.os_index = 5, .core = 1, .smt = 1, .l2 = 1, .l3 = 0, .numa = 0, .package = 0});
    CHECK(one_cpu().pus ==
          std::vector{Pu{.os_index = 0, .core = 0, .smt = 0, .l2 = -1, .l3 = -1, .numa = 0, .package = 0}});
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

    check_refused([] { restrict(restricted_cpuset(), std::array{0, 1}); }, {"os_indices (0-1)", "5,2,6,3"});
}

TEST_CASE("descriptions that cannot be read name themselves and what would work") {
    check_refused([] { from_xml(fixture_path("no-such-machine.xml")); }, {"no-such-machine.xml", "lstopo"});
    check_refused([] { from_xml(fixture_path("one-cpu.synthetic")); }, {"one-cpu.synthetic"});
    check_refused([] { from_synthetic("two sockets"); }, {"'two sockets'", "pack:2"});
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
    CHECK(format_cpu_list(Indices{0, 2, 4, 5, 6, 7}) == "0,2,4-7");
    CHECK(format_cpu_list(Indices{5, 4, 4, 5}) == "5,4,4-5");
    CHECK(parse_cpu_list("5,4,4-5,65535") == Indices{5, 4, 4, 5, 65535});
    const std::string fault =
        " is neither a CPU number (0 to 65535) nor an ascending range; use for example 0,2,4-7";
    CHECK_THROWS_WITH(parse_cpu_list("compakt"), ("'compakt'" + fault).c_str());
    CHECK_THROWS_WITH(parse_cpu_list("0,x"), ("'x' in '0,x'" + fault).c_str());
}

TEST_CASE("this machine in synthetic notation has the CPUs that it has") {
    const std::string description = synthetic_here();
    if (!description.empty()) {
        CHECK(from_synthetic(description).pus_in_machine == detect().pus_in_machine);
    }
}

/// The source of the thresholds of such a processor.
std::string source_of(const char* vendor, int family, const char* model, std::size_t l2_mib) {
    Machine machine;
    machine.vendor = vendor;
    machine.family = family;
    machine.model = model;
    machine.l2_bytes = l2_mib << 20U;
    machine.l3_bytes = std::size_t{32} << 20U;
    return source_text(family_thresholds(machine));
}

TEST_CASE("a profile is that of the processor's family, or a guess") {
    CHECK(source_of("AuthenticAMD", 26, "AMD EPYC", 1) == "family AMD Zen 5");
    CHECK(source_of("AuthenticAMD", 25, "AMD EPYC 9R14", 1) == "family AMD Zen");
    CHECK(source_of("GenuineIntel", 6, "Intel(R) Xeon(R) Platinum 8488C", 2) ==
          "family Intel Xeon with a large L2");
    CHECK(source_of("GenuineIntel", 6, "Intel(R) Xeon(R) E5-2680", 0) == "guess");
    CHECK(source_of("GenuineIntel", 6, "Intel(R) Core(TM) i7", 2) == "guess");
    CHECK(source_text(family_thresholds({})) == "guess");
}

TEST_CASE("caches are full by the L2 caches or by the L3 caches, whichever is first") {
    CHECK(Reach{.l2_bytes = 3, .l3_bytes = 100}.bytes(8, 1) == 24);
    CHECK(Reach{.l2_bytes = 3, .l3_bytes = 10}.bytes(8, 2) == 20);
    CHECK(Reach{.l3_bytes = 10}.bytes(8, 2) == 20); // the L2 caches do not matter
}

TEST_CASE("readers see a line for each threshold") {
    Thresholds profile;
    profile.moved_line_ns = 1.5;
    profile.stream_to_own.l3_bytes = 7;
    CHECK(describe(profile).find("  moved-line                     1.5 ns\n") != std::string::npos);
    CHECK(describe(profile).find("  stream-to-own-per-l3           7 B\n") != std::string::npos);
    CHECK(describe(profile).starts_with("thresholds: guess\n"));
}

/// The quota in a file system that has these files.
std::optional<int> quota_among(const std::map<std::string, std::string>& files) {
    const Directory root;
    for (const auto& [name, text] : files) {
        root.file(name, text + "\n");
    }
    return quota_cpus(root.path());
}

const std::string groups = "proc/self/cgroup";
const std::string mounted = "sys/fs/cgroup/";

TEST_CASE("a control group's quota is a number of CPUs, rounded down, at least one") {
    const auto quota = [](const std::string& text) {
        return quota_among({{groups, "0::/"}, {mounted + "cpu.max", text}});
    };
    CHECK(quota("200000 100000") == 2);
    CHECK(quota("150000 100000") == 1);
    CHECK(quota("390000 100000") == 3);
    CHECK(quota("10000 100000") == 1);
    CHECK(quota("25000 10000") == 2);
    CHECK(quota("max 100000") == std::nullopt);
    CHECK(quota("nonsense") == std::nullopt);
    CHECK(quota("") == std::nullopt);
    CHECK(quota("-1 100000") == std::nullopt);
    CHECK(quota_among({{groups, "0::/"}}) == std::nullopt);
    CHECK(quota_among({{"elsewhere", ""}}) == std::nullopt);
}

TEST_CASE("the least quota on the way up counts") {
    CHECK(quota_among({{groups, "0::/a/b"},
                       {mounted + "a/b/cpu.max", "max 100000"},
                       {mounted + "a/cpu.max", "300000 100000"},
                       {mounted + "cpu.max", "800000 100000"}}) == 3);
    CHECK(quota_among({{groups, "0::/a/b"}, {mounted + "a/b/cpu.max", "100000 100000"}}) == 1);
    // Limits of other groups do not matter.
    CHECK(quota_among({{groups, "0::/a"}, {mounted + "b/cpu.max", "100000 100000"}}) == std::nullopt);
}

TEST_CASE("version 1 and mixed systems have quotas as well") {
    const std::map<std::string, std::string> one_and_two = {
        {groups, "9:name=systemd:/\n4:memory:/box\n3:cpu,cpuacct:/box\n0::/"},
        {mounted + "cpu,cpuacct/box/cpu.cfs_quota_us", "400000"},
        {mounted + "cpu,cpuacct/box/cpu.cfs_period_us", "100000"},
        {mounted + "cpu,cpuacct/cpu.cfs_quota_us", "-1"},
        {mounted + "cpu,cpuacct/cpu.cfs_period_us", "100000"},
        {mounted + "memory/box/cpu.cfs_quota_us", "100000"},
        {mounted + "memory/box/cpu.cfs_period_us", "100000"}};
    CHECK(quota_among(one_and_two) == 4);
    auto with_unified = one_and_two;
    with_unified[mounted + "unified/cpu.max"] = "200000 100000";
    CHECK(quota_among(with_unified) == 2);
    // A container that sees the host's name of its group, but has that mounted as the root.
    CHECK(quota_among({{groups, "2:cpu:/docker/0123"},
                       {mounted + "cpu/cpu.cfs_quota_us", "250000"},
                       {mounted + "cpu/cpu.cfs_period_us", "100000"}}) == 2);
}

TEST_CASE("threads that may only use few CPUs can run at the same time only there") {
    using Bindings = std::vector<std::vector<int>>;
    CHECK(pus_at_once(Bindings{{0}, {0}, {0}}, 8) == 1);
    CHECK(pus_at_once(Bindings{{0}, {1}, {0}}, 8) == 2);
    CHECK(pus_at_once(Bindings{{}, {}, {}}, 8) == 3);
    CHECK(pus_at_once(Bindings{{}, {}, {}}, 2) == 2);
    CHECK(pus_at_once(Bindings{{}, {5}, {5}}, 8) == 2);
    CHECK(pus_at_once(Bindings{{0, 1}, {0, 1}, {0, 1}}, 8) == 2);
    CHECK(pus_at_once(Bindings{{0, 1}, {2, 3}, {3}}, 8) == 3);
    CHECK(pus_at_once(Bindings{}, 8) == 1);
}

} // namespace
