#pragma once

#include "call/plans/recent.hpp"
#include "choose/group_config.hpp"
#include "schedule/synchronise.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace tutti::engine {

/// Identifies a schedule and its plan for a given number of members.
struct ScheduleName {
    std::size_t row = 0;
    schedule::Protocol protocol = schedule::Protocol::zero_copy;
    /// The root of a rooted collective, the distance of a shift, else 0.
    int root = 0;
    /// Which plan for that schedule: the compiled one, that of an all-to-all of irregular blocks, or the one
    /// for an output that all members share.
    enum class Variant : std::uint8_t { plain, irregular_exchange, shared_output } variant = Variant::plain;

    friend auto operator<=>(const ScheduleName&, const ScheduleName&) = default;
};

/// The schedules that a group keeps, in bytes.
inline constexpr std::size_t most_schedule_bytes = std::size_t{32} << 20U;

/// The schedules of a group, which all members share. Any member may use it at any time.
class Schedules {
public:
    /// \pre the configuration lasts, whose levels never change.
    Schedules(int members, const GroupConfig& config) : members_(members), config_(config) {}

    /// Built once for all members, on first use, and again when it has been forgotten.
    std::shared_ptr<const schedule::Synchronised> synchronised(const ScheduleName& name);

private:
    int members_;
    const GroupConfig& config_;
    std::mutex mutex_;
    Recent<ScheduleName, std::shared_ptr<const schedule::Synchronised>> kept_{most_schedule_bytes};
};

} // namespace tutti::engine
