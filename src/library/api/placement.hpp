#pragma once

#include "immovable.hpp"

#include <tutti/version.hpp>

#include <string>
#include <vector>

namespace tutti::v0_1::detail {

/// Throws ArgumentError unless a group can have so many members. It names `who`, calls the number `what`, and
/// ends with `otherwise`.
void require_number(const std::string& who, const std::string& what, int number,
                    const std::string& otherwise = {});

/// The CPUs to which members are pinned, -1 for a member that is not. Members placed later, in this process,
/// avoid them while this lives. Any thread may make and use one.
class HeldCpus : Immovable {
public:
    /// For so many members, 0 for one on each allowed CPU, on CPUs that nobody holds if there are so many.
    /// Throws ArgumentError that names `who`.
    HeldCpus(const std::string& who, int members, const std::string& placement);
    ~HeldCpus();

    const std::vector<int>& by_member() const { return cpus_; }
    /// Whether another one holds the CPU as well.
    bool is_shared(int cpu) const;

private:
    std::vector<int> cpus_;
};

} // namespace tutti::v0_1::detail
