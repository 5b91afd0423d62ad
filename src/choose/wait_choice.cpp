#include "choose/wait_choice.hpp"

#include "choose/group_config.hpp"
#include "choose/this_machine.hpp"
#include "environment.hpp"
#include "machine/thresholds.hpp"
#include "option_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tutti::engine {

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

} // namespace tutti::engine
