#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

} // namespace tutti::distance
