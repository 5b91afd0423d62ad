// Machines as Linux describes them in files.
#include "../test.hpp"
#include "fixtures.hpp"
#include "machine/cpu_list.hpp"

#include <unistd.h>

using namespace tutti::machine;
using namespace tutti::machine::test;
namespace fs = std::filesystem;

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
    ~Files() { fs::remove_all(root_); }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;

    void write(const std::string& name, const std::string& text) const {
        const fs::path path = root_ / "sys/devices/system" / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text << '\n';
    }
    void remove(const std::string& name) const { fs::remove_all(root_ / "sys/devices/system" / name); }
    std::optional<Machine> read() const { return from_files(root_.string()); }

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
    fs::path root_ = fs::temp_directory_path() / ("tutti-machine-" + std::to_string(getpid()));
};

void without_kinds(Machine& machine) {
    for (Pu& pu : machine.pus) {
        pu.kind = Kind::performance;
        pu.speed = full_speed;
    }
}

} // namespace

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
    without_kinds(by_hwloc);
    without_kinds(by_files);
    CHECK(by_files.pus == by_hwloc.pus);
    CHECK(by_files.l2_bytes == by_hwloc.l2_bytes);
    CHECK(by_files.l3_bytes == by_hwloc.l3_bytes);
    CHECK(by_files.model == by_hwloc.model);
    CHECK(by_files.vendor == by_hwloc.vendor);
    CHECK(by_files.family == by_hwloc.family);
}
