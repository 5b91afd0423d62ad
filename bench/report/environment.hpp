#pragma once

#include "machine/machine.hpp"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace tutti::bench {

/// The origin of numbers.
struct Environment {
    machine::Machine machine;
    std::string compiler;
    std::string system;
    /// Kernels in use: "avx512" and so on.
    std::string instruction_set;
    std::string placement;
    /// For each number of members measured: where each ran, one line each.
    std::vector<std::pair<int, std::vector<std::string>>> pinning;
    /// The command as a shell takes it, and when it began, as 2026-01-31T12:00:00Z.
    std::string command;
    std::string time;
    /// The versions that peers state, by provider.
    std::map<std::string, std::string> peer_versions;
    /// How processes of MPI were started, by "openmpi, 2 members".
    std::map<std::string, std::string> launches;
    /// By what the system lets processes copy from each other's memory: "cma", "xpmem" and "knem", or "none".
    std::string process_copies;
};

/// The version, and the commit if the program was built in a clone.
std::string version_of_tutti();

/// Looks at this machine and this build.
Environment detect_environment();

/// `environment` in the JSON file.
nlohmann::json to_json(const Environment& environment);

/// One of the things that times depend on beside the problem: "kernel" and "Linux 6.1.0 x86_64".
struct Circumstance {
    std::string name;
    std::string value;
};

/// Those that a file states: always the same names in the same order, machine first, with empty values for
/// what the file lacks.
std::vector<Circumstance> circumstances(const nlohmann::json& environment);

/// How many of the machine's CPUs so many members are on with --placement `placement`.
int cpus_under(const machine::Machine& machine, int members, const std::string& placement);

/// "AMD EPYC, 2 CPUs allowed of 2"
std::string machine_line(const machine::Machine& machine);

} // namespace tutti::bench
