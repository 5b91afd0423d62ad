#pragma once

#include <optional>
#include <string>

namespace tutti::machine {

/// How many CPUs this process can keep busy all the time before a control group that it is in stops it
/// (cpu.max, cpu.cfs_quota_us): the least of all groups on the way up, rounded down, at least 1. Nothing if
/// there is no limit. Reads a few files under `root`.
std::optional<int> quota_cpus(const std::string& root = "/");

} // namespace tutti::machine
