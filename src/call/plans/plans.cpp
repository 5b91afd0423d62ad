#include "call/plans/plans.hpp"

#include "algorithm/registry.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tutti::engine {

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
