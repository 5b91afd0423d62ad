#pragma once

#include "distance/groups.hpp"
#include "distance/line_profile.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::laboratory {

/// The value of `format` in a profile's file. It changes with the numbers that a profile has.
inline constexpr const char* profile_format = "tutti-line-profile 2";

/// No file of a profile is longer.
inline constexpr std::size_t most_profile_bytes = std::size_t{64} << 10U;

/// The times of lines between each pair of the CPUs that were compared, in the machine's order: CPUs near
/// each other have places near each other.
struct Pairs {
    std::vector<int> cpus; ///< as the system numbers them
    distance::Matrix one_way_ns{0};
};

/// A file of `tutti measure`. Published profiles have no pairs.
struct MeasuredProfile {
    distance::MachineModel profile;
    std::optional<Pairs> pairs = std::nullopt;
};

/// The profile as JSON, a number a line:
///
///     {"format": "tutti-line-profile 2",
///     "name": "2 x EPYC 7742",
///     "topology": "pack:2 [numa] l3:4 core:4 pu:2",           empty if it cannot be said
///     "classes": ["core", "l3", "link"],
///     "sources": {
///     "matrix": {"origin": "published", "text": "core-to-core-latency"}
///     },
///     "numbers": {
///     "core.one-way.min": {"ns": 8, "source": "matrix"},
///     ...
///     },
///     "pairs": {"cpus": [0, 2, 1], "one-way-ns": [
///     [],
///     [31.5],
///     [88.2, 87.9]
///     ]}}
///
/// with a row of `pairs` for each CPU, in which are the times to those before it; `pairs` may be missing.
std::string to_text(const MeasuredProfile& measured);

/// The reverse. The text comes from outside: throws std::invalid_argument that names what is missing,
/// unknown, twice there or cannot be, unless there is exactly what to_text writes, in any order and with any
/// blanks.
MeasuredProfile parse_measured_profile(std::string_view text);
distance::MachineModel parse_line_profile(std::string_view text);

/// The profile in a regular file. Throws std::invalid_argument that names it, like parse_line_profile().
MeasuredProfile read_measured_profile(const std::string& path);

/// A file of laboratory/profiles: the profile of a machine that somebody else has measured.
struct Published {
    std::string_view name; ///< that of the file, without what follows the dot
    std::string_view text;
};

/// All there are, by name.
std::span<const Published> published();

/// The published profile of that name, or else the one in the file of that name. Throws std::invalid_argument
/// that lists the names where it is neither, and like read_measured_profile().
distance::MachineModel find_line_profile(const std::string& name_or_file);

} // namespace tutti::laboratory
