#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The costs of lines, caches and links, by how far CPUs are from each other.
namespace tutti::distance {

/// How far two CPUs are from each other: the smallest part that they share.
///
/// - core: they are threads of one core
/// - l3: an L3 cache
/// - node: a NUMA node, of which caches are parts
/// - socket: a socket, of which NUMA nodes are parts
/// - link: nothing but what links the sockets
enum class Class : std::uint8_t { core, l3, node, socket, link };

inline constexpr std::size_t class_count = 5;
inline constexpr std::array<Class, class_count> all_classes{Class::core, Class::l3, Class::node,
                                                            Class::socket, Class::link};

/// "core", "l3", "node", "socket", "link".
constexpr std::string_view to_string(Class distance) {
    constexpr std::array<std::string_view, class_count> names{"core", "l3", "node", "socket", "link"};
    return names[static_cast<std::size_t>(distance)];
}

/// The origin of a number.
///
/// - measured: this machine, to `tutti measure`
/// - published: somebody who has measured such a machine
/// - estimated: nobody; a rule, which the source states
enum class Origin : std::uint8_t { measured, published, estimated };

inline constexpr std::array<Origin, 3> all_origins{Origin::measured, Origin::published, Origin::estimated};

constexpr std::string_view to_string(Origin origin) {
    constexpr std::array<std::string_view, all_origins.size()> names{"measured", "published", "estimated"};
    return names[static_cast<std::size_t>(origin)];
}

/// The source of numbers.
struct Source {
    std::string name; ///< a word
    Origin origin = Origin::estimated;
    std::string text; ///< how it was measured, where it was published, or the rule

    bool operator==(const Source&) const = default;
};

struct Number {
    double value = 0;
    std::size_t source = 0; ///< index in the profile's sources

    bool operator==(const Number&) const = default;
};

/// The costs of lines between CPUs that are so far from each other.
struct LineCosts {
    /// ns from a store to the load that sees it, over all pairs of CPUs: half a ping-pong.
    Number least_one_way;
    Number median_one_way;
    Number most_one_way;
    /// ns until the last of k readers has a line, of which the furthest are so far from the writer: base +
    /// each * k. One far reader slows near ones down: its base counts for all.
    Number readers_base;
    Number readers_each;
    /// ns per flag, for a member that collects flags which others have set before, one after the other.
    Number flag;
    /// ns until a store is done to a line that another has read since it was written.
    Number taken_back;
    /// GB/s at which one copies data that another has just written, out of its caches.
    Number fetch;
    /// The same if the writer reads it as well meanwhile.
    Number fetch_contended;
    /// GB/s at which one stores to lines that another has read and has in its own caches.
    Number store;

    bool operator==(const LineCosts&) const = default;
};

/// GB/s to and from memory, of all cores of a part of the machine together. A copy counts the bytes read and
/// the bytes written.
struct Bandwidth {
    Number read;
    Number write;
    Number copy;

    bool operator==(const Bandwidth&) const = default;
};

/// GB/s at which a core reads and writes its own data, in a cache.
struct CacheBandwidth {
    Number read;
    Number write;

    bool operator==(const CacheBandwidth&) const = default;
};

/// The costs of lines, caches and links of a machine. It differs from `machine::Thresholds`, the sizes from
/// which on the library changes its methods, which follow from costs like these.
struct MachineModel {
    std::string name;
    /// The machine in hwloc's synthetic notation; empty if the notation cannot describe it.
    std::string topology;
    std::vector<Source> sources;
    /// The distances that exist between CPUs of this machine. The members below cover no others.
    std::array<bool, class_count> has = {};
    std::array<LineCosts, class_count> lines = {};
    /// The bandwidth of a core, which every machine has; of all cores that share an L3, a node, a socket; and
    /// over the link, of all cores of a socket with the memory of another.
    std::array<Bandwidth, class_count> memory = {};
    /// The bandwidth of a core.
    CacheBandwidth l2;
    CacheBandwidth l3;
    /// ns until a store is done to a line that nobody else has.
    Number exclusive_store;
    /// ns of an allreduce of 8 bytes between the two nearest cores, which begin together: until the last
    /// leaves.
    Number call;

    bool has_class(Class distance) const { return has[static_cast<std::size_t>(distance)]; }
    const LineCosts& lines_at(Class distance) const { return lines[static_cast<std::size_t>(distance)]; }
    const Bandwidth& memory_of(Class part) const { return memory[static_cast<std::size_t>(part)]; }

    bool operator==(const MachineModel&) const = default;
};

enum class Unit : std::uint8_t { ns, gigabytes_per_second };

/// "ns", "GB/s".
constexpr std::string_view to_string(Unit unit) {
    return unit == Unit::ns ? "ns" : "GB/s";
}

/// One number of a profile, what it is called, and what it can be.
struct NamedNumber {
    std::string name; ///< such as "l3.one-way.median"
    Unit unit = Unit::ns;
    Number* number = nullptr;

    static constexpr double least = 0;
    static constexpr double most = 1e6;
};

/// All numbers that a profile with these classes has, in the order in which they are written.
std::vector<NamedNumber> numbers_of(MachineModel& profile);

/// Throws std::invalid_argument that names the first number that cannot be: out of its range, without a
/// source, or a least that is above its median.
void check(const MachineModel& profile);

} // namespace tutti::distance
