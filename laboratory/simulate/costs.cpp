#include "simulate/costs.hpp"

#include "cache_line.hpp"

#include <algorithm>

namespace tutti::simulate {

using distance::Class;
using distance::LineCosts;
using distance::MachineModel;

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
            .contended_line = line_ns(costs.fetch_contended.value),
            .stored_line = line_ns(costs.store.value),
            .served = each / under_way};
}

/// How far the nearest two cores are from each other, between which `call` was measured.
Class nearest_in(const MachineModel& profile) {
    for (const Class distance : distance::all_classes) {
        if (distance != Class::core && profile.has_class(distance)) {
            return distance;
        }
    }
    return Class::core;
}

ReadWriteTimes times_of(const distance::CacheBandwidth& cache) {
    return {.read = line_ns(cache.read.value), .write = line_ns(cache.write.value)};
}

} // namespace

Costs costs_of(const MachineModel& profile) {
    Costs costs;
    costs.has = profile.has;
    costs.nearest = nearest_in(profile);
    for (const Class distance : distance::all_classes) {
        const auto index = static_cast<std::size_t>(distance);
        if (profile.has_class(distance)) {
            costs.lines[index] = times_of(profile.lines_at(distance));
        }
        if (profile.has_class(distance) || distance == Class::core) {
            const distance::Bandwidth& part = profile.memory_of(distance);
            costs.memory[index] = {.read = line_ns(part.read.value), .write = line_ns(part.write.value)};
        }
    }
    costs.l2 = times_of(profile.l2);
    costs.l3 = times_of(profile.l3);
    costs.entering = std::max(profile.call.value - costs.lines_at(costs.nearest).alone, 0.0);
    return costs;
}

} // namespace tutti::simulate
