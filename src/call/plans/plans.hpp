#pragma once

#include "call/plans/recent.hpp"
#include "call/plans/schedules.hpp"
#include "choose/group_config.hpp"
#include "run/own_plan.hpp"

#include <cstddef>
#include <memory>

namespace tutti::engine {

/// The plans that all members of a group together keep, in bytes; each keeps at least as many as follow.
inline constexpr std::size_t most_plan_bytes = std::size_t{64} << 20U;
inline constexpr std::size_t least_plan_bytes = std::size_t{16} << 10U;

/// The plans of one member.
class Plans {
public:
    Plans(Schedules& schedules, const GroupConfig& config, int rank, int members);

    int rank() const { return rank_; }
    int members() const { return members_; }
    const GroupConfig& config() const { return config_; }

    /// The schedule of which a plan is made; its variant is ignored.
    std::shared_ptr<const schedule::Synchronised> schedule(const ScheduleName& name);

    /// Compiled on first use, and again when it has been forgotten. Throws ArgumentError if the algorithm
    /// cannot serve so many members.
    std::shared_ptr<const run::OwnPlan> plan(const ScheduleName& name);

private:
    Schedules& schedules_;
    const GroupConfig& config_;
    int rank_;
    int members_;
    Recent<ScheduleName, std::shared_ptr<const run::OwnPlan>> kept_;
};

} // namespace tutti::engine
