#include "choose/group_config.hpp"

#include "choose/saved.hpp"
#include "choose/this_machine.hpp"
#include "choose/wait_choice.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "machine/process.hpp"
#include "option_values.hpp"
#include "record/recorder.hpp"
#include "wait/time_limit.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tutti::engine {

namespace {

/// The CPUs of the process and of the members.
struct Cpus {
    std::vector<int> of_process;
    /// How many of the members can run at the same time.
    int of_members;
};

/// The groups of consecutive ranks that equal levels of so many children make, outermost first.
std::vector<std::vector<int>> equal_parts(const std::vector<int>& levels, int members) {
    std::vector<std::vector<int>> parts;
    int size = members;
    for (const int children : levels) {
        if (children < 1 || size % children != 0) {
            size = 0;
            break;
        }
        size /= children;
        std::vector<int>& part = parts.emplace_back();
        for (int rank = 0; rank < members; ++rank) {
            part.push_back(rank / size);
        }
    }
    if (size != 1) {
        throw ArgumentError("GroupOptions::levels: the product of the sizes is not the number of members, " +
                            std::to_string(members));
    }
    return parts;
}

/// The members' places in the options count before the detected ones.
std::vector<std::vector<int>> parts_for(const GroupOptions& options, std::span<const int> cpus) {
    return options.levels.empty() ? machine::parts_of(tuning::this_machine(), cpus)
                                  : equal_parts(options.levels, static_cast<int>(cpus.size()));
}

/// The members' places.
struct Whereabouts {
    std::vector<std::vector<int>> bindings;
    std::vector<int> places;
    std::vector<std::vector<int>> parts;
};

GroupConfig config_for(const GroupOptions& options, Whereabouts where, Cpus cpus, int l3_groups) {
    const auto members = static_cast<int>(where.bindings.size());
    const Wait wait = wait_of(options.wait);
    GroupOptions chosen = options;
    chosen.wait = wait;
    const int process_cpus = machine::allowed_pus(cpus.of_process);
    tuning::save_at_exit();
    tuning::Source source = tuning::source_of(options.tuning);
    const bool explores = members > 1 && source.explores;
    if (explores) {
        source.text += ", then what is fastest here";
    }
    return {.wait_policy = wait_policy_of(wait, members, cpus.of_members),
            .cpus = cpus.of_members,
            .process_cpus = process_cpus,
            .cpus_of_process = std::move(cpus.of_process),
            .options = std::move(chosen),
            .wait_is_from_environment = wait != options.wait,
            .timeout = timeout_of(options.timeout, "GroupOptions::timeout"),
            .trace = std::max(required("GroupOptions::trace", options.trace), trace_of_process()),
            .l3_groups = l3_groups,
            .choices = tuning::Choices(std::move(source.table), {members, process_cpus, l3_groups}),
            .explores = explores,
            .tuning = std::move(source.text),
            .bindings = std::move(where.bindings),
            .places = std::move(where.places),
            .parts = std::move(where.parts)};
}

/// Members whose threads nobody has placed.
struct Compact {
    std::vector<int> places;
    int l3_groups = 1;
    std::vector<std::vector<int>> parts;
};

/// Where they are taken to be. That follows from the machine, so that the last answer is kept for the next
/// group.
Compact compact(int members) {
    static machine::ProcessMutex mutex(machine::ProcessMutex::Order::outer); // the machine is read once
    static Compact& last = *new Compact; // never destroyed: static objects may be groups
    const std::scoped_lock lock(mutex);
    if (last.places.size() != static_cast<std::size_t>(members)) {
        const machine::Machine& machine = tuning::this_machine();
        last.places = machine::place(machine, members, machine::Placement::compact);
        last.l3_groups = tuning::l3_groups(machine, last.places);
        last.parts = machine::parts_of(machine, last.places);
    }
    return last;
}

} // namespace

GroupConfig config_for(const GroupOptions& options, std::span<const int> cpus) {
    std::vector<std::vector<int>> bindings(cpus.size());
    for (std::size_t rank = 0; rank < cpus.size(); ++rank) {
        if (cpus[rank] != machine::unpinned) {
            bindings[rank] = {cpus[rank]};
        }
    }
    std::vector<int> process = machine::recent_process_cpus();
    const int at_once = machine::pus_at_once(bindings, machine::allowed_pus(process));
    std::vector<int> places(cpus.begin(), cpus.end());
    if (std::ranges::count(places, machine::unpinned) != 0) {
        places = compact(static_cast<int>(cpus.size())).places;
    }
    return config_for(options, {std::move(bindings), std::move(places), parts_for(options, cpus)},
                      {std::move(process), at_once}, tuning::l3_groups(tuning::this_machine(), cpus));
}

GroupConfig config_for(int members, const GroupOptions& options) {
    std::vector<int> process = machine::recent_process_cpus();
    const int at_once = std::min(machine::allowed_pus(process), members);
    Compact places = compact(members);
    if (!options.levels.empty()) {
        places.parts = equal_parts(options.levels, members);
    }
    return config_for(options,
                      {std::vector<std::vector<int>>(static_cast<std::size_t>(members)),
                       std::move(places.places), std::move(places.parts)},
                      {std::move(process), at_once}, places.l3_groups);
}

GroupConfig config_for_members(const GroupConfig& config, const std::vector<int>& mates) {
    const auto of_mates = [&mates](const auto& of_members) {
        std::remove_cvref_t<decltype(of_members)> chosen;
        chosen.reserve(mates.size());
        for (const int rank : mates) {
            chosen.push_back(of_members[static_cast<std::size_t>(rank)]);
        }
        return chosen;
    };
    const auto members = static_cast<int>(mates.size());
    GroupConfig made = config;
    made.bindings = of_mates(config.bindings);
    made.places = of_mates(config.places);
    for (std::vector<int>& part : made.parts) {
        part = of_mates(part);
    }
    made.cpus = machine::pus_at_once(made.bindings, config.process_cpus);
    made.wait_policy = wait_policy_of(config.options.wait, members, made.cpus);
    std::vector<int> pinned_to;
    for (const std::vector<int>& cpus : made.bindings) {
        if (cpus.size() == 1) {
            pinned_to.push_back(cpus.front());
        }
    }
    made.l3_groups = pinned_to.size() == mates.size() ? tuning::l3_groups(tuning::this_machine(), pinned_to)
                                                      : std::min(config.l3_groups, members);
    made.choices = tuning::Choices(config.choices.table(), {members, config.process_cpus, made.l3_groups});
    made.explores = config.explores && members > 1;
    return made;
}

} // namespace tutti::engine
