#pragma once

#include "mailbox/wait.hpp"

#include <tutti/detail/export.hpp>
#include <tutti/options.hpp>

#include <string>

namespace tutti::engine {

struct GroupConfig;

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

} // namespace tutti::engine
