// How many CPUs members have: by the control groups' limits, and by where they may run.
#include "../test.hpp"
#include "machine/pinning.hpp"
#include "machine/quota.hpp"

#include <unistd.h>

using namespace tutti::machine;

namespace {

/// The quota in a file system that has these files.
std::optional<int> quota_among(const std::map<std::string, std::string>& files) {
    namespace fs = std::filesystem;
    const fs::path root = fs::temp_directory_path() / ("tutti-quota-" + std::to_string(getpid()));
    for (const auto& [name, text] : files) {
        const fs::path path = root / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text << '\n';
    }
    const std::optional<int> quota = quota_cpus(root.string());
    fs::remove_all(root);
    return quota;
}

const std::string groups = "proc/self/cgroup";
const std::string mounted = "sys/fs/cgroup/";

} // namespace

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
