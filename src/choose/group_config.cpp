#include "choose/group_config.hpp"

#include "choose/algorithm_predictor.hpp"
#include "choose/wait_choice.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "option_values.hpp"
#include "record/trace_file.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/load.hpp"
#include "tuning/save.hpp"
#include "wait/time_limit.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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

/// Of such members, by what the table has measured of lines, or else by a guess.
std::shared_ptr<AlgorithmPredictor> predictor_for(const Whereabouts& members, int cpus, int l3_groups) {
    const auto count = static_cast<int>(members.places.size());
    if (!AlgorithmPredictor::is_for(count, cpus, l3_groups)) {
        return nullptr;
    }
    const machine::Machine& machine = tuning::this_machine();
    const std::vector<machine::Pu> pus = pus_of(machine, members.places);
    std::optional<KnownMachine> known = most_like(machine, pus);
    return known ? std::make_shared<AlgorithmPredictor>(*std::move(known), positions_of(machine, pus),
                                                        graph::LevelTree::of_parts(count, members.parts))
                 : nullptr;
}

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
    std::shared_ptr<AlgorithmPredictor> predictor = predictor_for(where, cpus.of_members, l3_groups);
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
            .parts = std::move(where.parts),
            .predictor = std::move(predictor)};
}

std::vector<int> compact_places(int members) {
    return machine::place(tuning::this_machine(), members, machine::Placement::compact);
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
        places = compact_places(static_cast<int>(cpus.size()));
    }
    return config_for(options, {std::move(bindings), std::move(places), parts_for(options, cpus)},
                      {std::move(process), at_once}, tuning::l3_groups(tuning::this_machine(), cpus));
}

GroupConfig config_for(int members, const GroupOptions& options) {
    std::vector<int> process = machine::recent_process_cpus();
    const int at_once = std::min(machine::allowed_pus(process), members);
    std::vector<int> compact = compact_places(members);
    const int l3_groups = tuning::l3_groups(tuning::this_machine(), compact);
    std::vector<std::vector<int>> parts = parts_for(options, compact);
    return config_for(options,
                      {std::vector<std::vector<int>>(static_cast<std::size_t>(members)), std::move(compact),
                       std::move(parts)},
                      {std::move(process), at_once}, l3_groups);
}

GroupConfig config_for_members(const GroupConfig& config, const std::vector<int>& mates) {
    std::vector<std::vector<int>> bindings;
    std::vector<int> pinned_to;
    std::vector<int> places;
    for (const int rank : mates) {
        places.push_back(config.places[static_cast<std::size_t>(rank)]);
        bindings.push_back(config.bindings[static_cast<std::size_t>(rank)]);
        if (bindings.back().size() == 1) {
            pinned_to.push_back(bindings.back().front());
        }
    }
    const int l3_groups = pinned_to.size() == mates.size()
                              ? tuning::l3_groups(tuning::this_machine(), pinned_to)
                              : std::min(config.l3_groups, static_cast<int>(mates.size()));
    const int at_once = machine::pus_at_once(bindings, config.process_cpus);
    std::vector<std::vector<int>> parts;
    for (const std::vector<int>& part : config.parts) {
        std::vector<int>& of_mates = parts.emplace_back();
        for (const int rank : mates) {
            of_mates.push_back(part[static_cast<std::size_t>(rank)]);
        }
    }
    GroupConfig made = config_for(config.options, {std::move(bindings), std::move(places), std::move(parts)},
                                  {config.cpus_of_process, at_once}, l3_groups);
    made.wait_is_from_environment = config.wait_is_from_environment;
    made.timeout = config.timeout; // may have been changed since
    return made;
}

} // namespace tutti::engine
