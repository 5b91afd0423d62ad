#include "survey/differences.hpp"

#include "machine/cpu_list.hpp"
#include "survey/distances.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::laboratory {

namespace {

using distance::Class;
using distance::FoundLevel;
using distance::Groups;
using machine::Pu;

const char* name_of(Class distance) {
    switch (distance) {
    case Class::core:
        return "cores";
    case Class::l3:
        return "L3 caches";
    case Class::node:
        return "NUMA nodes";
    case Class::socket:
        return "sockets";
    case Class::link:
        return "machines";
    }
    return "";
}

/// "0-3; 4-7; ...": the CPUs of the first groups.
std::string listed(std::span<const Pu> pus, const Groups& groups) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t group = 0; group < std::min(distance::count(groups), most); ++group) {
        std::vector<int> numbers;
        for (std::size_t at = 0; at < groups.size(); ++at) {
            if (groups[at] == group) {
                numbers.push_back(pus[at].os_index);
            }
        }
        std::ranges::sort(numbers);
        text += fmt::format("{}{}", group == 0 ? "" : "; ", machine::format_cpu_list(numbers));
    }
    return text + (distance::count(groups) > most ? "; ..." : "");
}

/// Neither each CPU alone nor all of them together.
bool says_something(const Groups& groups) {
    return distance::count(groups) > 1 && distance::count(groups) < groups.size();
}

/// The median of the times inside of groups or between them.
double median_ns(const distance::Matrix& matrix, const Groups& groups, bool inside) {
    std::vector<double> times;
    for (std::size_t one = 0; one < groups.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            if ((groups[one] == groups[other]) == inside) {
                times.push_back(matrix.ns(one, other));
            }
        }
    }
    const auto middle = times.begin() + (std::ssize(times) - 1) / 2;
    std::ranges::nth_element(times, middle);
    return *middle;
}

} // namespace

std::vector<std::string> differences(std::span<const Pu> pus, const distance::Matrix& one_way_ns,
                                     const std::vector<FoundLevel>& found) {
    std::vector<std::string> sentences;
    std::vector<Groups> stated;
    for (const Class each : distance::all_classes) {
        const Groups groups = groups_within(pus, each);
        const bool is_new = std::ranges::find(stated, groups) == stated.end();
        stated.push_back(groups);
        if (is_new && says_something(groups) &&
            std::ranges::find(found, groups, &FoundLevel::groups) == found.end()) {
            sentences.push_back(fmt::format("hwloc's {} {} ({}) do not show as such: a line takes {:.0f} ns "
                                            "inside of them, {:.0f} ns between them",
                                            distance::count(groups), name_of(each), listed(pus, groups),
                                            median_ns(one_way_ns, groups, true),
                                            median_ns(one_way_ns, groups, false)));
        }
    }
    for (const FoundLevel& level : found) {
        if (std::ranges::find(stated, level.groups) == stated.end()) {
            sentences.push_back(fmt::format("hwloc knows nothing of {} groups ({}): a line takes {:.0f} ns "
                                            "inside of them, {:.0f} ns between them",
                                            distance::count(level.groups), listed(pus, level.groups),
                                            level.inside_ns, level.between_ns));
        }
    }
    return sentences;
}

} // namespace tutti::laboratory
