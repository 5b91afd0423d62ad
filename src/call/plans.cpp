#include "call/plans.hpp"

#include "algorithm/registry.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <string>

namespace tutti::engine {

namespace {

/// The size of a schedule in memory, roughly.
std::size_t bytes_of(const schedule::Synchronised& synchronised) {
    const auto bytes_in = [](const auto& lists) {
        std::size_t bytes = 0;
        for (const auto& list : lists) {
            bytes += sizeof(list) + list.size() * sizeof(list.front());
        }
        return bytes;
    };
    std::size_t bytes = sizeof(synchronised) + bytes_in(synchronised.waits) + bytes_in(synchronised.eager);
    for (const schedule::Program& program : synchronised.schedule.programs()) {
        bytes += sizeof(program) + program.size() * sizeof(std::uint32_t) +
                 program.moves().size() * sizeof(schedule::Move);
    }
    return bytes;
}

} // namespace

std::shared_ptr<const schedule::Synchronised> Schedules::synchronised(const ScheduleName& name) {
    const std::scoped_lock lock(mutex_);
    if (const auto* const known = kept_.find(name)) {
        return *known;
    }
    // All members have one configuration, and so one tree: the row that they name determines the schedule.
    const auto tree = graph::LevelTree::of_parts(members_, config_.parts);
    auto made = std::make_shared<const schedule::Synchronised>(schedule::synchronise(
        algorithm::make(algorithm::registry()[name.row], tree, name.root), name.protocol));
    const std::size_t bytes = bytes_of(*made);
    return kept_.keep(name, std::move(made), bytes);
}

namespace {

plan::Plan varied(plan::Plan plan, ScheduleName::Variant variant) {
    switch (variant) {
    case ScheduleName::Variant::irregular_exchange:
        return plan::for_irregular_exchange(std::move(plan));
    case ScheduleName::Variant::shared_output:
        return plan::for_shared_output(std::move(plan));
    case ScheduleName::Variant::plain:
        break;
    }
    return plan;
}

} // namespace

Plans::Plans(Schedules& schedules, const GroupConfig& config, int rank, int members)
    : schedules_(schedules), config_(config), rank_(rank), members_(members),
      kept_(std::max(most_plan_bytes / static_cast<std::size_t>(members), least_plan_bytes)) {}

std::shared_ptr<const schedule::Synchronised> Plans::schedule(const ScheduleName& name) {
    return schedules_.synchronised({name.row, name.protocol, name.root});
}

std::shared_ptr<const run::OwnPlan> Plans::plan(const ScheduleName& name) try {
    if (const auto* const known = kept_.find(name)) {
        return *known;
    }
    auto made =
        std::make_shared<const run::OwnPlan>(varied(plan::compile(*schedule(name), rank_), name.variant));
    const std::size_t bytes = made->bytes();
    return kept_.keep(name, std::move(made), bytes);
} catch (const schedule::TooLarge& error) { // the caller can name another algorithm
    const algorithm::Algorithm& row = algorithm::registry()[name.row];
    throw ArgumentError(std::string(to_string(row.collective)) + ": algorithm \"" + std::string(row.name) +
                        "\" cannot serve " + std::to_string(members_) + " members: " + error.what());
}

} // namespace tutti::engine
