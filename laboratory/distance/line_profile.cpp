#include "distance/line_profile.hpp"

#include <cmath>
#include <stdexcept>

namespace tutti::distance {

namespace {

struct LineQuantity {
    const char* name;
    Unit unit;
    Number LineCosts::*number;
};

struct CacheQuantity {
    const char* name;
    CacheBandwidth MachineModel::*cache;
    Number CacheBandwidth::*number;
};

struct MemoryQuantity {
    const char* name;
    Number Bandwidth::*number;
};

constexpr std::array line_quantities{
    LineQuantity{"one-way.min", Unit::ns, &LineCosts::least_one_way},
    LineQuantity{"one-way.median", Unit::ns, &LineCosts::median_one_way},
    LineQuantity{"one-way.max", Unit::ns, &LineCosts::most_one_way},
    LineQuantity{"readers.base", Unit::ns, &LineCosts::readers_base},
    LineQuantity{"readers.each", Unit::ns, &LineCosts::readers_each},
    LineQuantity{"flag", Unit::ns, &LineCosts::flag},
    LineQuantity{"taken-back", Unit::ns, &LineCosts::taken_back},
    LineQuantity{"fetch", Unit::gigabytes_per_second, &LineCosts::fetch},
    LineQuantity{"fetch.contended", Unit::gigabytes_per_second, &LineCosts::fetch_contended},
    LineQuantity{"store", Unit::gigabytes_per_second, &LineCosts::store}};

constexpr std::array cache_quantities{
    CacheQuantity{"core.l2.read", &MachineModel::l2, &CacheBandwidth::read},
    CacheQuantity{"core.l2.write", &MachineModel::l2, &CacheBandwidth::write},
    CacheQuantity{"core.l3.read", &MachineModel::l3, &CacheBandwidth::read},
    CacheQuantity{"core.l3.write", &MachineModel::l3, &CacheBandwidth::write}};

constexpr std::array memory_quantities{MemoryQuantity{"memory.read", &Bandwidth::read},
                                       MemoryQuantity{"memory.write", &Bandwidth::write},
                                       MemoryQuantity{"memory.copy", &Bandwidth::copy}};

void refuse(const std::string& name, const char* why) {
    throw std::invalid_argument("\"" + name + "\" " + why);
}

} // namespace

std::vector<NamedNumber> numbers_of(MachineModel& profile) {
    std::vector<NamedNumber> numbers;
    for (const Class distance : all_classes) {
        const auto index = static_cast<std::size_t>(distance);
        const std::string prefix = std::string(to_string(distance)) + ".";
        if (profile.has[index]) {
            for (const LineQuantity& quantity : line_quantities) {
                numbers.push_back(
                    {prefix + quantity.name, quantity.unit, &(profile.lines[index].*quantity.number)});
            }
        }
        if (profile.has[index] || distance == Class::core) {
            for (const MemoryQuantity& quantity : memory_quantities) {
                numbers.push_back({prefix + quantity.name, Unit::gigabytes_per_second,
                                   &(profile.memory[index].*quantity.number)});
            }
        }
    }
    for (const CacheQuantity& quantity : cache_quantities) {
        numbers.push_back(
            {quantity.name, Unit::gigabytes_per_second, &(profile.*quantity.cache.*quantity.number)});
    }
    numbers.push_back({"exclusive-store", Unit::ns, &profile.exclusive_store});
    numbers.push_back({"call", Unit::ns, &profile.call});
    return numbers;
}

void check(const MachineModel& profile) {
    MachineModel copy = profile;
    for (const NamedNumber& named : numbers_of(copy)) {
        const double value = named.number->value;
        if (!std::isfinite(value) || value < NamedNumber::least || value > NamedNumber::most) {
            refuse(named.name, "cannot be: it is not from 0 to 1000000");
        }
        if (named.unit == Unit::gigabytes_per_second && value == 0) {
            refuse(named.name, "cannot be: it is 0");
        }
        if (named.number->source >= profile.sources.size()) {
            refuse(named.name, "has no source");
        }
    }
    for (const Class distance : all_classes) {
        const LineCosts& lines = profile.lines_at(distance);
        const std::string prefix = std::string(to_string(distance)) + ".one-way.";
        if (lines.least_one_way.value > lines.median_one_way.value) {
            refuse(prefix + "min", "is above the median");
        }
        if (lines.median_one_way.value > lines.most_one_way.value) {
            refuse(prefix + "max", "is below the median");
        }
    }
}

} // namespace tutti::distance
