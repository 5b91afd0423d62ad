// Machines as Linux describes them in files; and kinds of cores, on the machine of
// topology/fixtures/two-kinds.xml: CPUs 0, 3, 4, 5 are efficient, 1 and 2 fast.

#include "fixtures.hpp"
#include "machine/files.hpp"
#include "machine/placement.hpp"

using namespace tutti::machine;
using namespace tutti::machine::test;

namespace {

/// A folder with the files that Linux has for a machine.
class Files {
public:
    explicit Files(const Machine& machine) : machine_(machine) {
        write("cpu/online", list([](const Pu&) { return true; }));
        for (const Pu& pu : machine.pus) {
            const std::string folder = "cpu/cpu" + std::to_string(pu.os_index) + "/";
            write(folder + "topology/physical_package_id", std::to_string(pu.package));
            write(folder + "topology/core_siblings_list", like(pu, &Pu::package));
            write(folder + "topology/thread_siblings_list", like(pu, &Pu::core));
            write_cache(folder, pu, 2, &Pu::l2, machine.l2_bytes);
            write_cache(folder, pu, 3, &Pu::l3, machine.l3_bytes);
            write("node/node" + std::to_string(pu.numa) + "/cpulist", like(pu, &Pu::numa));
        }
        write("node/online", "0-" + std::to_string(machine.numa_nodes() - 1));
    }

    void write(const std::string& name, const std::string& text) const {
        root_.file("sys/devices/system/" + name, text + "\n");
    }
    void remove(const std::string& name) const {
        std::filesystem::remove_all(root_.path("sys/devices/system/" + name));
    }
    std::optional<Machine> read() const { return from_files(root_.path()); }

private:
    std::string list(const std::function<bool(const Pu&)>& is_in) const {
        std::vector<int> cpus;
        for (const Pu& pu : machine_.pus) {
            if (is_in(pu)) {
                cpus.push_back(pu.os_index);
            }
        }
        std::ranges::sort(cpus);
        return format_cpu_list(cpus);
    }
    std::string like(const Pu& pu, int Pu::*field) const {
        return list([&](const Pu& each) { return each.*field == pu.*field; });
    }
    void write_cache(const std::string& folder, const Pu& pu, int level, int Pu::*field,
                     std::size_t bytes) const {
        if (pu.*field >= 0) {
            const std::string cache = folder + "cache/index" + std::to_string(level) + "/";
            write(cache + "level", std::to_string(level));
            write(cache + "shared_cpu_list", like(pu, field));
            write(cache + "size", std::to_string(bytes / 1024) + "K");
        }
    }

    Machine machine_;
    Directory root_;
};

TEST_CASE("the files of a machine tell what hwloc tells") {
    for (const Machine& machine :
         {two_sockets_smt(), several_l3(), one_cpu(), from_synthetic("pack:2 numa:2 l3:2 core:2 pu:2"),
          from_synthetic("numa:2 pack:2 core:2 pu:1"), from_synthetic("pack:1 l3:4 l2:2 core:1 pu:2")}) {
        INFO(describe(machine));
        const std::optional<Machine> read = Files(machine).read();
        REQUIRE(read);
        CHECK(read->pus == machine.pus);
        CHECK(read->pus_in_machine == machine.pus_in_machine);
        CHECK(read->l2_bytes == machine.l2_bytes);
        CHECK(read->l3_bytes == machine.l3_bytes);
    }
}

TEST_CASE("CPUs that are offline, packages and nodes that are not described") {
    const std::optional<Machine> read =
        Files(restrict(two_sockets_smt(), std::vector{0, 9, 3, 12, 5})).read();
    REQUIRE(read);
    CHECK(read->os_indices() == std::vector{0, 3, 9, 5, 12});
    CHECK(read->cores() == 5);
    CHECK(read->packages() == 2);

    const Files files(two_sockets_smt());
    files.remove("node");
    files.write("cpu/cpu0/topology/physical_package_id", "-1");
    const std::optional<Machine> without = files.read();
    REQUIRE(without);
    CHECK(without->packages() == 0);
    CHECK(without->numa_nodes() == 1);
    CHECK(without->l3_groups() == 2);
}

TEST_CASE("files that are missing or contradict each other are for hwloc") {
    const Files files(two_sockets_smt());
    const auto is_left_to_hwloc_if = [&](const std::string& name, const std::string& wrong,
                                         const std::string& right) {
        files.write(name, wrong);
        CHECK(!files.read());
        files.write(name, right);
        CHECK(files.read());
    };
    is_left_to_hwloc_if("cpu/online", "", "0-15");
    is_left_to_hwloc_if("cpu/online", "nonsense", "0-15");
    is_left_to_hwloc_if("cpu/cpu0/cache/index2/level", "3", "2");
    is_left_to_hwloc_if("cpu/cpu1/topology/thread_siblings_list", "0-1", "1,9");
    is_left_to_hwloc_if("cpu/cpu1/topology/thread_siblings_list", "2", "1,9");
    files.remove("cpu/cpu1/topology");
    files.remove("cpu/cpu9/topology");
    CHECK(!files.read());
    CHECK(!from_files("/nonesuch"));
}

TEST_CASE("this machine is the same whether hwloc or the library reads it") {
    Machine by_hwloc = detect();
    Machine by_files = here();
    for (Machine* const machine : {&by_hwloc, &by_files}) {
        machine->notes.clear();
        for (Pu& pu : machine->pus) {
            pu.kind = Kind::performance;
            pu.speed = full_speed;
        }
    }
    CHECK(by_files.pus == by_hwloc.pus);
    CHECK(describe(by_files) == describe(by_hwloc));
    CHECK(by_files.vendor == by_hwloc.vendor);
    CHECK(by_files.family == by_hwloc.family);
}

using Numbers = std::map<std::string, std::string>;

/// As hwloc's XML states it of these CPUs, and in which order of speed unless `rank` is empty.
std::string kind(const std::string& cpus, const std::string& rank, const Numbers& numbers) {
    std::string text = "<cpukind cpuset=\"" + cpus + "\"";
    text += (rank.empty() ? "" : " forced_efficiency=\"" + rank + "\"") + ">";
    for (const auto& [name, number] : numbers) {
        text.append("<info name=\"").append(name).append("\" value=\"").append(number).append("\"/>");
    }
    return text + "</cpukind>";
}

/// The machine with these kinds instead.
Machine with_kinds(const std::string& kinds) {
    std::string text = text_of_file(fixture_path("two-kinds.xml")).value();
    text.erase(text.find("  <cpukind"));
    return from_xml(Directory().file("kinds.xml", text + kinds + "</topology>\n"));
}

Indices placed(const Machine& machine, int members, const char* placement) {
    return place(machine, members, parse_placement(placement));
}

TEST_CASE("kinds of cores are named by their ranks, and speeds are relative to the fastest") {
    CHECK(describe(two_kinds()) ==
          "CPUs        6 of 6 allowed: 0,3-5,1-2\n"
          "cores       6\n"
          "core kinds  performance (CPUs 1-2, speed 1024), efficient (CPUs 0,3-5, speed 446)\n"
          "L2          2 x 1 MiB\n"
          "NUMA nodes  1\n"
          "packages    1\n");
    // Among the allowed CPUs too, the names are those of the whole machine.
    CHECK(restrict(two_kinds(), std::array{5}).kinds() == "efficient (CPU 5, speed 446)");
    const std::string three = kind("0x30", "0", {{"LinuxCapacity", "100"}}) +
                              kind("0x9", "1", {{"LinuxCapacity", "250"}}) +
                              kind("0x6", "2", {{"LinuxCapacity", "500"}});
    CHECK(with_kinds(three).kinds() == "performance (CPUs 1-2, speed 1024), medium (CPUs 0,3, speed 512), "
                                       "efficient (CPUs 4-5, speed 204)");
}

TEST_CASE(
    "the speed of a kind is its frequency if its capacity tells nothing, and else that of the fastest") {
    const auto kinds = [](const Numbers& slow, const Numbers& fast) {
        return with_kinds(kind("0x39", "0", slow) + kind("0x6", "1", fast)).kinds();
    };
    const std::string known = "performance (CPUs 1-2, speed 1024), efficient (CPUs 0,3-5, speed 768)";
    CHECK(kinds({{"FrequencyMaxMHz", "3000"}}, {{"FrequencyMaxMHz", "4000"}}) == known);
    CHECK(kinds({{"FrequencyMaxMHz", "3000"}, {"LinuxCapacity", "9"}},
                {{"FrequencyMaxMHz", "4000"}, {"LinuxCapacity", "9"}}) == known);
    const std::string unknown = "performance (CPUs 1-2, speed 1024), efficient (CPUs 0,3-5, speed 1024)";
    CHECK(kinds({{"Color", "1"}}, {{"Color", "2"}}) == unknown);
    CHECK(kinds({{"LinuxCapacity", "9"}}, {{"Color", "2"}}) == unknown);
}

TEST_CASE("all cores are performance cores if there is one kind, or no kind is known to be faster") {
    const std::string all = "performance (CPUs 0,3-5,1-2, speed 1024)";
    CHECK(with_kinds("").kinds() == all);
    CHECK(with_kinds(kind("0x3f", "0", {{"LinuxCapacity", "446"}})).kinds() == all);
    CHECK(with_kinds(kind("0x39", "", {{"Color", "1"}}) + kind("0x6", "", {{"Color", "2"}})).kinds() == all);
}

TEST_CASE("a placement excludes kinds, and prefers the first of those that it names") {
    const Machine machine = two_kinds();
    CHECK(placed(machine, 2, "compact") == Indices{0, 3});
    CHECK(placed(machine, 2, "performance") == Indices{1, 2});
    CHECK(placed(machine, 3, "performance") == Indices{1, 2, 1});
    CHECK(placed(machine, 5, "efficient") == Indices{0, 3, 4, 5, 0});
    CHECK(placed(machine, 3, "performance,efficient") == Indices{1, 2, 0});
    CHECK(placed(machine, 7, "efficient,performance") == Indices{0, 3, 4, 5, 1, 2, 0});
    // Kinds without CPUs are no error beside one that has some.
    CHECK(placed(machine, 3, "medium,performance") == Indices{1, 2, 1});
    CHECK(placed(two_sockets_smt(), 3, "performance,efficient") == Indices{0, 1, 2});
    // Second hardware threads come after cores of other kinds.
    Machine smt = two_sockets_smt();
    for (Pu& pu : smt.pus) {
        pu.kind = pu.package == 0 ? Kind::efficient : Kind::performance;
    }
    CHECK(placed(smt, 4, "performance,efficient") == Indices{4, 5, 6, 7});
    CHECK(placed(smt, 6, "performance,efficient") == Indices{4, 5, 6, 7, 0, 1});
    CHECK(placed(smt, 9, "performance,efficient") == Indices{4, 12, 5, 6, 7, 0, 1, 2, 3});
    CHECK(placed(smt, 5, "performance") == Indices{4, 12, 5, 6, 7});
}

TEST_CASE("beside holders of CPUs, free CPUs of other preferred kinds go before shared ones") {
    const auto beside = [](int members, const char* placement, const Indices& held) {
        return place_beside(two_kinds(), members, parse_placement(placement), held);
    };
    CHECK(beside(2, "performance", {0}) == Indices{1, 2});
    CHECK(beside(1, "performance", {1}) == Indices{2});
    CHECK(beside(2, "performance", {1}) == Indices{1, 2});
    CHECK(beside(2, "performance,efficient", {1}) == Indices{2, 0});
    CHECK(beside(1, "performance,efficient", {1, 2}) == Indices{0});
}

TEST_CASE("a placement that names no kind of the machine lists those that there are") {
    const std::string missing = message_of<std::invalid_argument>([] { placed(two_kinds(), 1, "medium"); });
    CHECK(missing == "placement: no allowed CPU is of the kind medium; the machine has performance "
                     "(CPUs 1-2, speed 1024), efficient (CPUs 0,3-5, speed 446)");
    check_refused([] { placed(one_cpu(), 1, "medium,efficient"); },
                  {"kind medium,efficient; the machine has performance (CPU 0, speed 1024)"});
    for (const char* text : {"fast", "performance,", "performance,0", "0,performance", "Performance"}) {
        check_refused([&] { parse_placement(text); }, {"or kinds of cores: performance, medium, efficient"});
    }
}

} // namespace
