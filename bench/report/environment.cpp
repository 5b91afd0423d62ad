#include "report/environment.hpp"

#include "commit.hpp"
#include "machine/files.hpp"
#include "machine/placement.hpp"

#include <tutti/detail/kernels.hpp>
#include <tutti/version.hpp>

#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

namespace tutti::bench {

namespace {

constexpr const char* compiler_version =
#if defined(__clang__)
    "clang++ " __clang_version__;
#else
    "g++ " __VERSION__;
#endif

constexpr const char* build_kind =
#if defined(NDEBUG)
    "optimised, without assertions";
#else
    "with assertions: not for timing";
#endif

std::string system_name() {
    utsname names{};
    return uname(&names) == 0 ? fmt::format("{} {} {}", names.sysname, names.release, names.machine)
                              : "unknown";
}

/// The word as a shell takes it for one.
std::string for_shell(const std::string& word) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+,./:@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
        return word;
    }
    std::string quoted = "'";
    for (const char c : word) {
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return quoted + "'";
}

/// As it was typed, except for the program's folder. Empty if the system does not report it.
std::string command_of_this_process() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string command;
    for (std::string word; std::getline(file, word, '\0');) {
        command +=
            command.empty() ? for_shell(std::filesystem::path(word).filename()) : " " + for_shell(word);
    }
    return command;
}

std::string process_copies() {
    int scope = 0; // of systems without Yama, where processes of a user may read each other's memory
    std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
    std::vector<std::string> ways;
    if (scope == 0 || geteuid() == 0) {
        ways.emplace_back("cma");
    }
    for (const char* const device : {"xpmem", "knem"}) {
        if (std::filesystem::exists(std::filesystem::path("/dev") / device)) {
            ways.emplace_back(device);
        }
    }
    return ways.empty() ? "none" : fmt::format("{}", fmt::join(ways, ", "));
}

} // namespace

std::string version_of_tutti() {
    const std::string commit = TUTTI_COMMIT;
    return TUTTI_VERSION_STRING + (commit.empty() ? "" : " (commit " + commit + ")");
}

Environment detect_environment() {
    return {.machine = machine::detect(),
            .compiler = fmt::format("{} ({})", compiler_version, build_kind),
            .system = system_name(),
            .instruction_set = detail::kernel_isa(),
            .placement = {},
            .pinning = {},
            .command = command_of_this_process(),
            .time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
            .peer_versions = {},
            .launches = {},
            .process_copies = process_copies()};
}

nlohmann::json to_json(const Environment& environment) {
    const machine::Machine& machine = environment.machine;
    nlohmann::json pinning = nlohmann::json::object();
    for (const auto& [members, lines] : environment.pinning) {
        pinning[std::to_string(members)] = lines;
    }
    nlohmann::json versions = environment.peer_versions;
    versions["tutti"] = version_of_tutti();
    return {{"machine",
             {{"model", machine.model},
              {"cpus", machine.pus.size()},
              {"cpus_in_machine", machine.pus_in_machine},
              {"cpu_list", machine::format_cpu_list(machine.os_indices())},
              {"cores", machine.cores()},
              {"packages", machine.packages()},
              {"numa_nodes", machine.numa_nodes()},
              {"l3_caches", machine.l3_groups()},
              {"l2_caches", machine.l2_groups()},
              {"l2_bytes", machine.l2_bytes},
              {"l3_bytes", machine.l3_bytes},
              {"notes", machine.notes}}},
            {"system", environment.system},
            {"command", environment.command},
            {"time", environment.time},
            {"placement", environment.placement},
            {"pinning", pinning},
            {"compiler", environment.compiler},
            {"instruction_set", environment.instruction_set},
            {"versions", versions},
            {"launches", environment.launches},
            {"process_copies", environment.process_copies}};
}

std::vector<Circumstance> circumstances(const nlohmann::json& environment) {
    const auto value = [&](const char* pointer) -> std::string {
        const nlohmann::json::json_pointer path(pointer);
        if (!environment.contains(path)) {
            return "";
        }
        const nlohmann::json& found = environment.at(path);
        return found.is_string() ? found.get<std::string>() : found.dump();
    };
    return {{"processor", value("/machine/model")},
            {"CPUs in the machine", value("/machine/cpus_in_machine")},
            {"CPUs allowed", value("/machine/cpu_list")},
            {"cores", value("/machine/cores")},
            {"packages", value("/machine/packages")},
            {"NUMA nodes", value("/machine/numa_nodes")},
            {"bytes of L2", value("/machine/l2_bytes")},
            {"bytes of L3", value("/machine/l3_bytes")},
            {"kernel", value("/system")},
            {"version of tutti", value("/versions/tutti")},
            {"compiler", value("/compiler")},
            {"vector code", value("/instruction_set")},
            {"placement", value("/placement")}};
}

int cpus_under(const machine::Machine& machine, int members, const std::string& placement) {
    const std::vector<int> cpus = machine::place(machine, members, machine::parse_placement(placement));
    if (cpus.front() == machine::unpinned) {
        return std::min(members, static_cast<int>(machine.pus.size()));
    }
    return static_cast<int>(std::set(cpus.begin(), cpus.end()).size());
}

std::string machine_line(const machine::Machine& machine) {
    return fmt::format("{}, {} of {} CPUs allowed ({})",
                       machine.model.empty() ? "unknown processor" : machine.model, machine.pus.size(),
                       machine.pus_in_machine, machine::format_cpu_list(machine.os_indices()));
}

} // namespace tutti::bench
