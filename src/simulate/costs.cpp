#include "simulate/costs.hpp"

#include "cache_line.hpp"

#include <algorithm>

namespace tutti::simulate {

using distance::Class;
using distance::LineCosts;
using distance::LineProfile;

namespace {

/// At so many GB/s, which are bytes a ns.
double line_ns(double gigabytes_per_second) {
    return static_cast<double>(line_bytes) / gigabytes_per_second;
}

LineTimes times_of(const LineCosts& costs) {
    const double one_way = costs.median_one_way.value;
    const double line = line_ns(costs.fetch.value);
    // So many lines are under way at once, since each takes there and back.
    const double under_way = std::max(2 * one_way / line, 1.0);
    const double each = costs.readers_each.value;
    return {.readers_base = costs.readers_base.value,
            .readers_each = each,
            // The base of the furthest class is that of a line which nearer ones read as well.
            .alone = std::min(costs.readers_base.value + each, costs.taken_back.value + one_way),
            .flag = costs.flag.value,
            .first_read = one_way,
            .first_store = costs.taken_back.value,
            .line = line,
            .served = each / under_way};
}

/// Of the nearest two cores, between which `call` was measured.
double nearest_one_way(const LineProfile& profile) {
    for (const Class distance : distance::all_classes) {
        if (distance != Class::core && profile.has_class(distance)) {
            return profile.lines_at(distance).median_one_way.value;
        }
    }
    return profile.lines_at(Class::core).median_one_way.value;
}

} // namespace

Costs costs_of(const LineProfile& profile) {
    Costs costs;
    costs.has = profile.has;
    const distance::Bandwidth& core = profile.memory_of(Class::core);
    double fastest = core.read.value;
    for (const Class distance : distance::all_classes) {
        const auto index = static_cast<std::size_t>(distance);
        if (profile.has_class(distance)) {
            costs.lines[index] = times_of(profile.lines_at(distance));
            fastest = std::max(fastest, profile.lines_at(distance).fetch.value);
        }
        if (profile.has_class(distance) || distance == Class::core) {
            const distance::Bandwidth& part = profile.memory_of(distance);
            costs.memory[index] = {line_ns(part.read.value), line_ns(part.write.value)};
        }
    }
    // Nobody has measured it; the own caches are at least as fast as whatever else there is.
    costs.own_line = line_ns(fastest);
    costs.entering = std::max(profile.call.value - nearest_one_way(profile), 0.0);
    return costs;
}

} // namespace tutti::simulate
