#pragma once

#include "mailbox/wait.hpp"
#include "tuning/choices.hpp"

#include <tutti/options.hpp>

#include <span>
#include <string>

namespace tutti::execute {

/// What a group is set to, for all its calls: its options, and what follows from them on this machine.
struct Setting {
    mailbox::Patience patience;
    /// That the process may use.
    int cpus = 1;
    GroupOptions options = {};
    /// See tuning::Situation.
    int l3_groups = 1;
    tuning::Choices choices = {};
    /// See Group::tuning().
    std::string tuning = {};
};

/// For members that run in so many L3 groups.
Setting setting_for(int members, const GroupOptions& options, int l3_groups);

/// For members that are placed on these CPUs.
Setting setting_for(const GroupOptions& options, std::span<const int> cpus);

/// For threads that somebody else has placed: taken to be where "compact" would place them.
Setting setting_for(int members, const GroupOptions& options);

/// How the threads of a team wait for its next run, and its caller for the end of one.
mailbox::Patience patience_between_runs(const Setting& setting, int members, bool caller_is_member);

} // namespace tutti::execute
