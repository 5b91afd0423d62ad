#pragma once

#include <tutti/detail/export.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// This machine, or a described one, as plain data: which CPUs may be used and which caches, memory and
/// packages they share. Placement (placement.hpp) and pinning (pinning.hpp) build on it.
namespace tutti::machine {

/// The kind of a core: of a machine with several kinds the fastest, all between, and the slowest. All cores
/// of other machines are performance cores.
enum class Kind { performance, medium, efficient };
inline constexpr std::array<std::string_view, 3> names_of_kinds{"performance", "medium", "efficient"};
constexpr std::string_view name_of(Kind kind) {
    return names_of_kinds[static_cast<std::size_t>(kind)];
}

/// The speed of a core of the fastest kind.
inline constexpr int full_speed = 1024;

/// One processing unit (a hardware thread) and where it sits. All but `os_index` are logical indices,
/// numbered over the whole machine, not over its allowed part; -1 if unknown.
struct Pu {
    int os_index = -1; ///< the operating system's number: what taskset and sched_setaffinity take
    int core = -1;
    int smt = -1; ///< 0, 1, ... among all hardware threads of its core, allowed or not
    int l2 = -1;
    int l3 = -1;
    int numa = -1;
    int package = -1;
    Kind kind = Kind::performance; ///< of its core
    int speed = full_speed;        ///< of its core; full_speed if unknown

    bool operator==(const Pu&) const = default;
};

/// A machine as this process may use it.
struct Machine {
    std::vector<Pu> pus; ///< the allowed ones, in logical order: near each other here means near in hardware
    int pus_in_machine = 0;         ///< allowed or not
    std::size_t l2_bytes = 0;       ///< of one L2 cache; 0 where unknown
    std::size_t l3_bytes = 0;       ///< of one L3 cache; 0 where unknown
    std::string model;              ///< as the processor names itself; empty where unknown
    std::string vendor;             ///< of the processor, as it reports it; empty if unknown
    int family = 0;                 ///< the vendor's number of it; 0 where unknown
    std::vector<std::string> notes; ///< for readers of `tutti info`, one sentence each

    /// How many of each contain allowed PUs; 0 if unknown.
    int packages() const;
    int numa_nodes() const;
    int l3_groups() const;
    int l2_groups() const;
    /// Cores the allowed PUs lie in. A PU whose core is unknown counts as one.
    int cores() const;

    /// The allowed PUs' operating-system numbers, in logical order.
    std::vector<int> os_indices() const;
    /// The kinds of the allowed PUs, "performance (CPUs 0-1, speed 1024), efficient (CPU 2, speed 446)".
    std::string kinds() const;
};

/// This machine as this process may use it at the time of the call: what the system allows (a container's
/// cpuset) and, within that, the process's binding (taskset, a batch system; see process_cpus() in
/// pinning.hpp for the effect of threads that are already pinned). Changes no binding. Never throws for the
/// machine that it finds: if hwloc cannot describe it, the result has CPUs without structure, and a note with
/// the reason. Takes milliseconds.
Machine detect();

/// The same without kinds of cores, in microseconds: the machine is read once in the life of the process,
/// from the files of the kernel. hwloc reads it only if these do not suffice, or if a variable such as
/// HWLOC_XMLFILE tells hwloc what to read.
TUTTI_COMPONENT_API Machine here();

/// The machine that the kernel describes in files below `root`/sys/devices/system, whatever the process is
/// bound to, without kinds of cores. Nothing if CPUs, cores or caches are not all described.
std::optional<Machine> from_files(const std::string& root);

/// The machine stored in a hwloc 2 XML file (`lstopo machine.xml` writes one); its allowed set is honoured.
/// \throws std::invalid_argument naming the file if it is unreadable or no such XML.
Machine from_xml(const std::string& path);

/// The machine described in hwloc's synthetic notation, e.g. "pack:2 [numa] l3:2 core:4 pu:2"; all allowed.
/// \throws std::invalid_argument naming the description if hwloc does not understand it.
Machine from_synthetic(const std::string& description);

/// This machine, including its disallowed part, in that notation; empty if it is not regular enough, or hwloc
/// cannot read it.
std::string synthetic_here();

/// `machine` with only those of its PUs whose number is in `os_indices`; numbers it does not have are
/// ignored, as in any CPU mask. If that removes any, a note says how many are left and, in brackets,
/// `because`. \throws std::invalid_argument if none is left.
TUTTI_COMPONENT_API Machine restrict(Machine machine, std::span<const int> os_indices,
                                     std::string_view because = "restriction");

/// The lines that `tutti info` prints: a label, its value, aligned; each ends in a newline. Unknown values
/// are left out.
std::string describe(const Machine& machine);

} // namespace tutti::machine
