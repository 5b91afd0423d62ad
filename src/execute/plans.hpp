#pragma once

#include "execute/recent.hpp"
#include "execute/setting.hpp"
#include "run/own_plan.hpp"
#include "schedule/synchronise.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::detail {
class GroupState;
}

namespace tutti::execute {

/// What a schedule and its plan depend on besides the number of members.
struct ScheduleName {
    std::size_t row = 0;
    schedule::Form form = schedule::Form::separate;
    /// The root of a rooted collective, the distance of a shift, else 0.
    int root = 0;
    /// Which plan for that schedule: the compiled one, that of an all-to-all of irregular blocks, or the one
    /// for an output that all members share.
    enum class Variant : std::uint8_t { plain, irregular_exchange, shared_output } variant = Variant::plain;

    friend auto operator<=>(const ScheduleName&, const ScheduleName&) = default;
};

/// The plans that all members of a group together keep, in bytes; each keeps at least as many as follow.
inline constexpr std::size_t most_plan_bytes = std::size_t{64} << 20U;
inline constexpr std::size_t least_plan_bytes = std::size_t{16} << 10U;

/// The plans of one member.
class Plans {
public:
    Plans(detail::GroupState& group, int rank, int members);

    int rank() const { return rank_; }
    int members() const { return members_; }
    const Setting& setting() const;

    /// The schedule that a plan is made of, whose variant says nothing.
    std::shared_ptr<const schedule::Synchronised> schedule(const ScheduleName& name);

    /// Compiled on first use, and again when it has been forgotten. Throws ArgumentError where the algorithm
    /// cannot serve so many members.
    std::shared_ptr<const run::OwnPlan> plan(const ScheduleName& name);

private:
    detail::GroupState& group_;
    int rank_;
    int members_;
    Recent<ScheduleName, std::shared_ptr<const run::OwnPlan>> kept_;
};

} // namespace tutti::execute
