#pragma once

#include "choose/table.hpp"
#include "mailbox/wait.hpp"

#include <tutti/detail/export.hpp>
#include <tutti/options.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tutti::engine {

/// The configuration of a group for all its calls: its options, and their consequences on this machine.
struct GroupConfig {
    mailbox::WaitPolicy wait_policy;
    /// How many of the members can run at the same time.
    int cpus = 1;
    /// How many threads of the process can.
    int process_cpus = 1;
    /// The CPUs that the process has, ascending, when the group is made.
    std::vector<int> cpus_of_process = {};
    /// With the way to wait of the environment if they name none.
    GroupOptions options = {};
    bool wait_is_from_environment = false;
    /// How long calls may wait for others; 0: for ever.
    std::chrono::milliseconds timeout = {};
    /// The amount of recording: the larger of the options' and the environment's.
    Trace trace = Trace::off;
    /// See tuning::Situation.
    int l3_groups = 1;
    tuning::Choices choices = {};
    /// Whether members try several algorithms in their first calls of a kind.
    bool explores = false;
    /// See Group::tuning().
    std::string tuning = {};
    /// The CPUs that each member may use at first; empty for all of the process.
    std::vector<std::vector<int>> bindings = {};
    /// The CPU on which each member is taken to be.
    std::vector<int> places = {};
    /// The members' places on the machine, as graph::LevelTree::of_parts takes them.
    std::vector<std::vector<int>> parts = {};
};

/// For members that are placed on these CPUs. Throws ArgumentError when the options are wrong, as the others
/// do.
GroupConfig config_for(const GroupOptions& options, std::span<const int> cpus);

/// For threads that somebody else has placed: taken to be where "compact" would place them.
GroupConfig config_for(int members, const GroupOptions& options);

/// For some of the members of a group with this configuration. Reads nothing of the system anew.
TUTTI_COMPONENT_API GroupConfig config_for_members(const GroupConfig& config, const std::vector<int>& mates);

} // namespace tutti::engine
