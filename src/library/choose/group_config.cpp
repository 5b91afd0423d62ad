#include "choose/group_config.hpp"

#include "choose/tuning_file.hpp"
#include "environment.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "machine/process.hpp"
#include "no_cancellation.hpp"
#include "option_values.hpp"
#include "record/recorder.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

namespace tutti::tuning {

int l3_groups(const machine::Machine& machine, std::span<const int> cpus) {
    const std::set<int> used(cpus.begin(), cpus.end());
    std::set<int> groups;
    for (const machine::Pu& pu : machine.pus) {
        if (used.contains(pu.os_index) || used.contains(machine::unpinned)) {
            groups.insert(pu.l3);
        }
    }
    return std::clamp(static_cast<int>(groups.size()), 1, std::max(static_cast<int>(cpus.size()), 1));
}

const machine::Machine& this_machine() {
    static const machine::Machine machine = machine::here();
    return machine;
}

const machine::Thresholds& this_thresholds() {
    static const machine::Thresholds profile = machine::family_thresholds(this_machine());
    return profile;
}

} // namespace tutti::tuning

namespace tutti::library {

namespace {

std::optional<Wait> wait_named(const std::string& name) {
    constexpr auto names = names_of(Wait{});
    const auto* const found = std::ranges::find(names, name);
    return found != names.end() ? std::optional(static_cast<Wait>(found - names.begin())) : std::nullopt;
}

std::string text_of(std::int64_t ns) {
    constexpr std::int64_t microsecond_ns = 1'000;
    return std::to_string(ns / microsecond_ns) + " us";
}

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
        std::string sizes;
        for (const int children : levels) {
            sizes += (sizes.empty() ? "" : ", ") + std::to_string(children);
        }
        throw ArgumentError("GroupOptions::levels: the product of the sizes {" + sizes +
                            "} is not the number of members, " + std::to_string(members));
    }
    return parts;
}

/// Without a file, a group that explores begins with what groups before it have learnt.
tuning::Choices choices_of(std::shared_ptr<const tuning::Table> table, const GroupConfig& config) {
    return {table == nullptr && config.explores ? tuning::learnt_table() : std::move(table),
            {static_cast<int>(config.bindings.size()), config.process_cpus, config.l3_groups}};
}

/// The configuration of members with these places, bindings and CPUs.
GroupConfig completed(GroupConfig config, const GroupOptions& options) {
    const auto members = static_cast<int>(config.bindings.size());
    config.options = options;
    config.options.wait = wait_of(options.wait);
    config.wait_is_from_environment = config.options.wait != options.wait;
    config.wait_policy = wait_policy_of(config.options.wait, members, config.cpus);
    config.process_cpus = machine::allowed_pus(config.cpus_of_process);
    tuning::save_at_exit();
    tuning::Source source = tuning::source_of(options.tuning);
    config.explores = members > 1 && source.explores;
    const bool has_file = source.table != nullptr;
    config.choices = choices_of(std::move(source.table), config);
    config.tuning =
        std::move(source.text) +
        (has_file || config.choices.table() == nullptr ? "" : ", what earlier groups have learnt") +
        (config.explores ? ", then what is fastest here" : "");
    config.timeout = timeout_of(options.timeout, "GroupOptions::timeout");
    config.report_after =
        timeout_or(options.report_after, "GroupOptions::report_after", std::chrono::minutes(1));
    config.trace = std::max(required("GroupOptions::trace", options.trace), trace_of_process());
    return config;
}

/// Where members are taken to be whose threads nobody has placed: their places, parts and L3 groups. These
/// follow from the machine, so the last answer is kept for the next group.
GroupConfig compact(int members) {
    static machine::ProcessMutex mutex(machine::ProcessMutex::Order::outer); // the machine is read once
    static GroupConfig& last = *new GroupConfig; // never destroyed: static objects may be groups
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

Wait wait_of(Wait given) {
    return required("GroupOptions::wait", given) != Wait::automatic
               ? given
               : environment_value<wait_named>("TUTTI_WAIT", "automatic, spin, yield or sleep")
                     .value_or(Wait::automatic);
}

mailbox::WaitPolicy wait_policy_for(int members, int cpus) {
    const machine::Thresholds& profile = tuning::this_thresholds();
    const auto whole = [](double ns) { return static_cast<std::int64_t>(ns); };
    return members <= cpus
               ? mailbox::WaitPolicy{.spin_ns = whole(profile.spin_ns), .yield_ns = whole(profile.yield_ns)}
               : mailbox::WaitPolicy{.spin_ns = 0, .yield_ns = whole(profile.crowded_yield_ns)};
}

mailbox::WaitPolicy wait_policy_of(Wait wait, int members, int cpus) {
    constexpr std::int64_t for_good_ns = mailbox::WaitPolicy::for_good_ns;
    switch (wait) {
    case Wait::spin:
        return {.spin_ns = for_good_ns, .yield_ns = 0};
    case Wait::yield:
        return {.spin_ns = 0, .yield_ns = for_good_ns};
    case Wait::sleep:
        return {.spin_ns = 0, .yield_ns = 0};
    case Wait::automatic:
        break;
    }
    return wait_policy_for(members, cpus);
}

mailbox::WaitPolicy wait_policy_between_runs(const GroupConfig& config, int members, bool caller_is_member) {
    const int threads = caller_is_member ? members : members + 1;
    const bool has_room = members <= config.cpus && threads <= config.process_cpus;
    const mailbox::WaitPolicy wait_policy = wait_policy_for(threads, has_room ? threads : 1);
    switch (config.options.wait) {
    case Wait::sleep:
        return {};
    case Wait::yield:
        return {.spin_ns = 0, .yield_ns = wait_policy.awake_ns()};
    case Wait::spin:
    case Wait::automatic:
        break;
    }
    return wait_policy;
}

std::string text_of_waits(const GroupConfig& config, const mailbox::WaitPolicy& wait_policy, int members,
                          int cpus) {
    if (config.options.wait != Wait::automatic) {
        return std::string(names_of(Wait{})[static_cast<std::size_t>(config.options.wait)]) + ", as set by " +
               (config.wait_is_from_environment ? "TUTTI_WAIT" : "GroupOptions::wait");
    }
    const auto count = [](int number, const char* name) {
        return std::to_string(number) + " " + name + (number == 1 ? "" : "s");
    };
    return (wait_policy.spin_ns > 0 ? "spin for " + text_of(wait_policy.spin_ns) + ", " : "") + "yield for " +
           text_of(wait_policy.yield_ns) + ", then sleep, because " + count(members, "member") +
           (members > cpus ? " share "
            : members == 1 ? " has "
                           : " have ") +
           count(cpus, "CPU");
}

GroupConfig config_for(const GroupOptions& options, std::span<const int> cpus) {
    const auto members = static_cast<int>(cpus.size());
    GroupConfig config;
    config.bindings.resize(cpus.size());
    for (std::size_t rank = 0; rank < cpus.size(); ++rank) {
        if (cpus[rank] != machine::unpinned) {
            config.bindings[rank] = {cpus[rank]};
        }
    }
    config.cpus_of_process = machine::recent_process_cpus();
    config.cpus = machine::pus_at_once(config.bindings, machine::allowed_pus(config.cpus_of_process));
    config.places.assign(cpus.begin(), cpus.end());
    if (std::ranges::count(config.places, machine::unpinned) != 0) {
        config.places = compact(members).places;
    }
    config.parts = options.levels.empty() ? machine::parts_of(tuning::this_machine(), cpus)
                                          : equal_parts(options.levels, members);
    config.l3_groups = tuning::l3_groups(tuning::this_machine(), cpus);
    return completed(std::move(config), options);
}

GroupConfig config_for(int members, const GroupOptions& options) {
    GroupConfig config = compact(members);
    config.bindings.resize(static_cast<std::size_t>(members));
    config.cpus_of_process = machine::recent_process_cpus();
    config.cpus = std::min(machine::allowed_pus(config.cpus_of_process), members);
    if (!options.levels.empty()) {
        config.parts = equal_parts(options.levels, members);
    }
    return completed(std::move(config), options);
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
    made.explores = config.explores && members > 1;
    made.choices = choices_of(config.choices.table(), made);
    return made;
}

Bindings::Bindings(const GroupConfig& config)
    : of_members_(config.bindings), cpus_of_process_(config.cpus_of_process), cpus_(config.cpus) {}

void Bindings::read(int member) noexcept {
    update(member, false);
}

void Bindings::read_with_process(int member) noexcept {
    const NoCancellation opens_files; // and a wait must not be a point of cancellation
    update(member, true);
}

void Bindings::update(int member, bool with_process) noexcept {
    if (of_members_.empty()) { // and stays so
        return;
    }
    try {
        std::vector<int> process = with_process ? machine::process_cpus() : std::vector<int>{};
        std::vector<int> found = machine::cpus_of_this_thread();
        const std::scoped_lock lock(mutex_);
        if (!with_process) { // a thread that has bound itself may have CPUs that no other has
            std::ranges::set_union(cpus_of_process_, found, std::back_inserter(process));
        }
        if (found.size() >= process.size()) {
            found.clear(); // any
        }
        std::vector<int>& known = of_members_[static_cast<std::size_t>(member)];
        if (known == found && cpus_of_process_ == process) {
            return;
        }
        known = std::move(found);
        cpus_of_process_ = std::move(process);
        const int at_once = machine::pus_at_once(of_members_, machine::allowed_pus(cpus_of_process_));
        cpus_.store(at_once, std::memory_order_relaxed); // a hint
    } catch (const std::exception&) {
        // There is no memory, and the hint stays as it is.
    }
}

std::vector<std::vector<int>> Bindings::of_members() const {
    const std::scoped_lock lock(mutex_);
    return of_members_;
}

} // namespace tutti::library
