#pragma once

#include "distance/line_profile.hpp"
#include "plan/plan.hpp"
#include "record/timeline.hpp"
#include "schedule/schedule.hpp"
#include "schedule/synchronise.hpp"
#include "simulate/ports.hpp"
#include "simulate/simulation.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::simulate {

/// A vector that members call with, of equal blocks.
struct Vector {
    std::size_t elements = 0;
    std::size_t element_bytes = 1;
};

/// How the library carries out a call.
struct Handling {
    /// Messages are eager that do not fit into slots.
    bool staged = false;
    /// The bytes of all members' vectors together.
    std::size_t touched_bytes = 0;
};

/// One algorithm among members at these positions: its plans, in each protocol that is needed.
class Predictor {
public:
    /// The machine model must outlive it.
    Predictor(schedule::Schedule schedule, const distance::MachineModel& profile, Positions positions)
        : schedule_(std::move(schedule)), profile_(profile), positions_(std::move(positions)) {}

    int rounds() const { return schedule_.rounds(); }

    /// ns until the last member leaves. Throws as Simulation does.
    double ns(const Vector& vector, schedule::Protocol protocol, const Handling& handling);

    /// The same with each member's actions until then, as Simulation::lanes(), of a call with this name. The
    /// timeline's name is the machine for which it is predicted.
    trace::Timeline timeline(const Vector& vector, schedule::Protocol protocol, const Handling& handling,
                             const std::string& operation);

    /// A number that differs if the members' plans differ, except for the order of operands, which no load or
    /// store knows (FNV-1a of their steps).
    std::uint64_t digest(schedule::Protocol protocol);

private:
    struct Compiled {
        std::vector<plan::Plan> plans = {};
        std::optional<Simulation> simulation = {};
    };

    Compiled& compiled_in(schedule::Protocol protocol);
    Payload payload(const Vector& vector, schedule::Protocol protocol, const Handling& handling) const;
    plan::Partition partition(const Vector& vector) const;
    bool streams(schedule::Protocol protocol, std::size_t touched_bytes) const;

    schedule::Schedule schedule_;
    const distance::MachineModel& profile_;
    Positions positions_;
    std::map<schedule::Protocol, Compiled> compiled_;
};

} // namespace tutti::simulate
