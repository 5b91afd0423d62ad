#pragma once

#include "choose/table.hpp"
#include "machine/machine.hpp"
#include "machine/thresholds.hpp"
#include "mailbox/wait.hpp"

#include <tutti/detail/export.h>
#include <tutti/options.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <span>

namespace tutti::tuning {

/// This machine as it was at the first call.
const machine::Machine& this_machine();

/// The thresholds of this machine's processor family.
const machine::Thresholds& this_thresholds();

/// The number of groups of CPUs that share an L3 on which members on these CPUs run, 1 if unknown;
/// machine::unpinned stands for any CPU.
int l3_groups(const machine::Machine& machine, std::span<const int> cpus);

} // namespace tutti::tuning

namespace tutti::library {

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
    /// After how much waiting a member reports it.
    std::chrono::milliseconds report_after = {};
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

/// The wait policy: that of the environment variable TUTTI_WAIT if `given` is automatic.
TUTTI_COMPONENT_API Wait wait_of(Wait given);

/// How long `members` members on `cpus` CPUs try each way of waiting: they spin only if everybody has a CPU.
TUTTI_COMPONENT_API mailbox::WaitPolicy wait_policy_for(int members, int cpus);

/// How members wait in a group with this option of which so many can run at the same time.
TUTTI_COMPONENT_API mailbox::WaitPolicy wait_policy_of(Wait wait, int members, int cpus);

/// How the threads of a team wait for its next run, and its caller for the end of one.
mailbox::WaitPolicy wait_policy_between_runs(const GroupConfig& config, int members, bool caller_is_member);

/// "spin for 100 us, yield for 100 us, then sleep, because 2 members have 2 CPUs".
std::string text_of_waits(const GroupConfig& config, const mailbox::WaitPolicy& wait_policy, int members,
                          int cpus);

/// The CPUs that the members of a group may use, as far as is known. They change: threads join, and programs
/// bind threads at any time. A group's choices for its calls must not depend on them, because members would
/// choose differently.
class Bindings {
public:
    explicit Bindings(const GroupConfig& config);

    /// Reads where the calling thread, which is that member, may run. By one thread for each member.
    void read(int member) noexcept;
    /// The same, and reads which CPUs the process has, for which it looks at all threads of the process.
    void read_with_process(int member) noexcept;

    /// How many of the members can run at the same time. Relaxed: a hint.
    int cpus() const noexcept { return cpus_.load(std::memory_order_relaxed); }

    /// The CPUs of each member; empty for all of the process. Nothing is known of any if there are none.
    std::vector<std::vector<int>> of_members() const;

private:
    void update(int member, bool with_process) noexcept;

    mutable std::mutex mutex_;
    std::vector<std::vector<int>> of_members_;
    /// The CPUs of the process, ascending, as far as its threads have been looked at.
    std::vector<int> cpus_of_process_;
    std::atomic<int> cpus_;
};

} // namespace tutti::library
